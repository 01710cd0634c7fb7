"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Paths of wakeups: the critical path of the run, and paths to any time in any thread. A path is
 * {turns: [[thread, from, to], ...], times, to}; `times`, by state, are known only for the run.
 */

function pathOfRun(recording) {
	return {
		turns: recording.critical_path ?? [],
		times: recording.critical_path_s ?? {},
		to: null
	};
}

/* Returns for each thread the wakeups that ended its waits, in the order of time. */
function pathWakeups(recording) {
	if (recording.wakeupsOf)
		return recording.wakeupsOf;
	recording.wakeupsOf = recording.threads.map(() => []);
	for (const [time, waker, woken] of recording.wakeups ?? [])
		recording.wakeupsOf[woken]?.push([time, waker]);
	for (const list of recording.wakeupsOf)
		list.sort((a, b) => a[0] - b[0]);
	return recording.wakeupsOf;
}

/* Returns the path to a time in a thread, or to its end: each wait leads back to its waker. */
function pathTo(recording, thread, time) {
	const wakeups = pathWakeups(recording);
	const byTime = d3.bisector((wakeup) => wakeup[0]).right;
	const to = {thread, time: time ?? recording.threads[thread].end_s};
	const turns = [];
	let until = to.time;
	for (let at = thread; recording.threads[at];) {
		const list = wakeups[at];
		let last = byTime(list, until) - 1;
		/* After the first turn only earlier wakeups count, so that there is no circle. */
		while (last >= 0 && list[last][0] >= until && turns.length)
			last--;
		const {start_s: start, creator} = recording.threads[at];
		const [from, waker] = list[last] ?? [start, creator ?? -1];
		turns.push([at, Math.min(from, until), until]);
		until = from;
		at = waker;
	}
	return {turns: turns.reverse(), times: null, to};
}

/* Draws the path as a line along its threads, and from each one to the next. */
function pathDraw(gantt) {
	const {context, range, path} = gantt;
	if (!path)
		return;
	context.save();
	ganttClip(gantt);
	context.strokeStyle = gantt.color("path");
	context.lineWidth = 2;
	context.lineJoin = "round";
	context.beginPath();
	let joined = false;
	for (const [thread, from, to] of path.turns) {
		const at = gantt.lineOf.get(thread);
		const seen = at !== undefined && to >= range.from && from <= range.to;
		if (seen) {
			const y = ganttMiddle(gantt, at);
			if (joined)
				context.lineTo(gantt.x(from), y);
			else
				context.moveTo(gantt.x(from), y);
			context.lineTo(gantt.x(to), y);
		}
		joined = seen;
	}
	context.stroke();
	context.restore();
}

/* Says the length of the critical path, and the shares of its states. */
function pathAnswer(recording) {
	const {turns, times} = pathOfRun(recording);
	const words = {
		running: "running",
		runnable: "waiting for a CPU",
		blocked: "blocked",
		unknown: "unknown"
	};
	const total = d3.sum(Object.values(times));
	if (!turns.length || !(total > 0))
		return null;
	const parts = Object.entries(times)
			      .filter(([, seconds]) => seconds >= 0.005 * total)
			      .sort((a, b) => b[1] - a[1])
			      .map(([state, seconds]) =>
					      `${formatShare(seconds / total)} ${words[state]}`);
	return element("p", {class: "answer"}, "Critical path ",
		element("b", null, formatSeconds(total)), `: ${parts.join(", ")}`);
}

/* Describes a path: its length, its states, and the threads with most of it. */
function pathSays(recording, {turns, times, to}) {
	const length = d3.sum(turns, ([, from, until]) => until - from);
	const threads = d3.rollups(turns, (list) => d3.sum(list, (turn) => turn[2] - turn[1]),
				  (turn) => turn[0])
				.sort((a, b) => b[1] - a[1]);
	const most = threads.slice(0, 3).map(([thread, seconds]) => {
		const name = recording.threads[thread];
		return `${name ? threadName(name) : "threads not shown"} ${formatSeconds(seconds)}`;
	});
	const states = Object.entries(times ?? {}).filter(([, seconds]) => seconds > 0).map(([
		state, seconds
	]) => `${state} ${formatSeconds(seconds)}`);
	const count = d3.sum(turns, (turn) => turn[4] ?? 1);
	const kind = to
		? `Path to ${threadName(recording.threads[to.thread])} at ` + formatSeconds(to.time)
		: "Critical path";
	return `${kind}: ${formatSeconds(length)}` +
		(states.length ? `, of it ${states.join(", ")}` : "") +
		`; ${formatPlural(count, "turn")}, most in ${most.join(", ")}.`;
}
