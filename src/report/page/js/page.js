"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page as a whole. If a script fails, the static text stays. */

function pageBuild() {
	const data = recordingsRead(document.getElementById("pscal-data").textContent);
	const {recordings} = data;
	const range = rangeNew(recordings);
	const panels = pagePanels(range, data);
	const live = document.getElementById("live");
	live.classList.toggle("two", recordings.length > 1);
	live.style.setProperty("--columns", recordings.length);
	live.append(element("main", null, verdictHead(recordings, data.compared),
			    timebar(range, recordings, pageLinks(panels)), panels),
		pageFoot(data));
	live.hidden = false;
	document.documentElement.classList.add("live");
	pageListen(range);
}

/* Returns the panels in the order of their questions, without those that have no data. */
function pagePanels(range, data) {
	const {recordings} = data;
	return [
		cpusPanel(range, recordings),
		threadsPanel(range, recordings),
		longestPanel(range, recordings),
		readyPanel(range, recordings),
		forecastPanel(recordings),
		modelPanel(recordings),
		flamePanel(range, recordings),
		functionsPanel(range, recordings),
		stretchPanel(data),
		tasksPanel(recordings),
		dataPanel(recordings),
	].filter(Boolean);
}

function pageLinks(panels) {
	return element("nav", {"aria-label": "Panels"},
		panels.map((one) => element("a", {href: `#${one.id}`},
				   one.querySelector("h2").textContent)));
}

function pageListen(range) {
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		rangeDraw(range);
		dispatchEvent(new Event("palette"));
	});
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape" && event.target === document.body)
			rangeReset(range);
	});
}

function pageFoot({version, made}) {
	return element("footer", null,
		`${version}, ${String(made).replace("T", " ").replace("Z", " UTC")}. ` +
			"This file is complete: it loads nothing. " +
			"Charts by D3 (Copyright Mike Bostock; its licence is inside of this file).");
}

document.addEventListener("DOMContentLoaded", pageBuild);
