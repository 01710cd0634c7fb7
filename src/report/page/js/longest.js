"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The longest waits off the CPU in the range. A click shows one in all panels. */

const longestRows = 20, longestShown = 8;

function longestPanel(range, recordings) {
	if (!recordings.some((recording) => recording.longest?.length))
		return null;
	return panel("longest", "Longest waits",
		"Which thread waited longest, and for which reason?",
		panelColumns(recordings, (recording) => {
			const place = element("div");
			rangeListen(range,
				() => place.replaceChildren(...longestTable(range, recording)));
			return place;
		}));
}

/* Lists the waits that touch the range; they are shown whole, and may begin before it. */
function longestTable(range, recording) {
	const all = recording.longest ?? [];
	const rows = all.filter(([, from, to]) => to > range.from && from < range.to)
			     .sort((a, b) => b[2] - b[1] - (a[2] - a[1]));
	if (!rows.length)
		return [element("p", {class: "note"},
			`None of the ${
				formatPlural(all.length,
					"longest wait")} of the run is in this range.`)];
	const says = rows.length > longestRows
		? `The ${longestRows} longest of ${
			  formatCount(rows.length)} in this range, among the ${
			  formatCount(
				  all.length)} longest of the run. Click one to see it in all panels.`
		: "Click one to see it in all panels.";
	return [
		dataTable("Longest waits", longestColumns(range, recording),
			rows.slice(0, longestRows), longestShown),
		element("p", {class: "note"}, says)
	];
}

function longestColumns(range, recording) {
	return [
		{title: "thread", show: ([thread]) => threadName(recording.threads[thread])},
		{
			title: "from",
			kind: "minor",
			show: ([, from]) => formatInstant(from, range.total, range.total)
		},
		{title: "length", show: (wait) => longestButton(range, wait)},
		{
			title: "cause",
			kind: "text",
			show: ([, , , state, cause]) => cause ?? stateNames[state]
		},
		{
			title: "ended by",
			kind: "text minor",
			show: ([, , , state, , by]) => longestEnd(recording, state, by)
		},
	];
}

/*
 * Says which thread ended a wait, or null if unknown. A runnable thread was woken before: its wait
 * ends when another thread leaves its CPU.
 */
function longestEnd({threads}, state, by) {
	const name = threads[by] ? threadName(threads[by])
				 : {"-2": "an interrupt", "-3": "a thread not shown"}[by];
	return name ? state === "w" ? `${name} left its CPU` : `woken by ${name}` : null;
}

/* Makes a button that brushes the wait, with a quarter of its length before and after it. */
function longestButton(range, [, from, to]) {
	const around = (to - from) / 4;
	return element("button", {
		type: "button",
		title: "show it in all panels",
		onclick: () => rangeSet(range, from - around, to + around),
	},
		formatSeconds(to - from));
}
