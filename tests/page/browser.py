# SPDX-License-Identifier: GPL-3.0-or-later
"""Chromium without a window, which obeys the DevTools protocol over a socket.

A command is a message {id, method, params, sessionId}, where the session is the tab. An answer has the
number of its command; an event has none. Each message ends with a zero byte. The commands are in
https://chromedevtools.github.io/devtools-protocol/."""
import json
import os
import socket
import subprocess
import tempfile

OPTIONS = ["--headless", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars",
	"--disable-dev-shm-usage", "--no-first-run"]
# No command takes this long, whatever the load of the machine.
SECONDS_MOST = 60


class Browser:
	def __init__(self, program):
		self.socket, theirs = socket.socketpair()
		self.socket.settimeout(SECONDS_MOST)
		self.buffer = b""
		self.number = 0
		self.session = None
		self.events = []
		self.emulated = {}
		self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
		options = [*OPTIONS, f"--user-data-dir={self.profile.name}"]
		if os.geteuid() == 0:
			options.append("--no-sandbox")

		def connect():
			# Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
			for descriptor in (3, 4):
				os.dup2(theirs.fileno(), descriptor)
				os.set_inheritable(descriptor, True)

		self.process = subprocess.Popen([program, *options, "about:blank"],
			preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
			stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
		theirs.close()
		tab = next(one for one in self.do("Target.getTargets")["targetInfos"] if one["type"] == "page")
		session = self.do("Target.attachToTarget", targetId=tab["targetId"], flatten=True)
		self.session = session["sessionId"]
		for domain in ("Page", "Runtime", "Log"):
			self.do(f"{domain}.enable")

	def do(self, method, **parameters):
		"""Gives a command and returns its result."""
		self.number += 1
		message = {"id": self.number, "method": method, "params": parameters}
		if self.session:
			message["sessionId"] = self.session
		self.socket.sendall(json.dumps(message).encode() + b"\0")
		while True:
			answer = self.read()
			if answer.get("id") == self.number:
				if "error" in answer:
					raise RuntimeError(f"{method}: {answer['error']['message']}")
				return answer["result"]
			self.events.append(answer)

	def emulate(self, kind, **parameters):
		"""Sets a property of the screen, unless it is set: Chromium would draw the open page again."""
		if self.emulated.get(kind) != parameters:
			self.do(f"Emulation.set{kind}", **parameters)
			self.emulated[kind] = parameters

	def wait(self, event):
		"""Waits for an event."""
		while not any(one["method"] == event for one in self.events):
			self.events.append(self.read())

	def read(self):
		while b"\0" not in self.buffer:
			part = self.socket.recv(1 << 20)
			if not part:
				raise RuntimeError("the browser has ended")
			self.buffer += part
		message, self.buffer = self.buffer.split(b"\0", 1)
		return json.loads(message)

	def quit(self):
		self.session = None
		try:
			self.do("Browser.close")
			self.process.wait(SECONDS_MOST)
		except (OSError, subprocess.TimeoutExpired):
			self.process.kill()
		finally:
			self.process.wait()
			self.socket.close()
			self.profile.cleanup()
