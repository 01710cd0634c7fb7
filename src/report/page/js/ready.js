"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time with each number of threads ready in the range. */

function readyPanel(range, recordings) {
	return panel("ready", "Threads ready", "Is it serial, or are there more threads than CPUs?",
		panelColumns(recordings,
			(recording) => {
				const place = element("div");
				rangeListen(range,
					() => place.replaceChildren(
						...readyRows(range, recording)));
				return place;
			}),
		legend([
			["others", "none or one: serial"],
			["running", "as many as the CPUs can run"],
			["runnable", "more than there are CPUs"]
		]));
}

function readyRows(range, recording) {
	if (range.from > 0 && range.from >= recording.duration_s)
		return [element("p", {class: "note"}, "This recording ends before the range.")];
	const {exact, levels} = readyLevels(recording, range.from, range.to);
	const known = d3.sum(levels, ([, seconds]) => seconds);
	const span = Math.max(known, Math.min(range.to, recording.duration_s) - range.from);
	const unknown = span - known > 1e-3 * span ? span - known : 0;
	const approximate = exact || recording.ready
		? null
		: element("p", {class: "note"}, "Approximate: from means of short bins.");
	return [
		readyAnswer(levels, known, span), readyTable(recording, levels, unknown, span),
		approximate
	].filter(Boolean);
}

/* Says the share of serial time; if most of the time is unknown, only the unknown share. */
function readyAnswer(levels, known, span) {
	const unknown = 1 - known / (span || 1);
	if (unknown > 0.5)
		return element("p", {class: "answer ready-reading"}, "For ",
			element("b", null, formatShare(unknown)),
			" of the time it is unknown how many threads were ready");
	const serial = d3.sum(levels.filter(([ready]) => ready <= 1), ([, seconds]) => seconds);
	return element("p", {class: "answer ready-reading"},
		element("b", null, formatShare(serial / (known || 1))),
		" of the time one thread or none was ready",
		unknown > 1e-3 ? `, as far as that is known (${formatShare(1 - unknown)})` : "");
}

function readyTable(recording, levels, unknown, span) {
	const cpus = recording.profile.cores;
	const rows = readyFold(levels);
	if (unknown)
		rows.push({label: "unknown", seconds: unknown, from: null});
	const most = d3.max(rows, (row) => row.seconds) || 1;
	const kind = ({from}) => from === null ? "unknown"
		: from <= 1                    ? "serial"
		: from > cpus                  ? "crowded"
					       : "";
	return dataTable("Time with each number of threads ready",
		[
			{title: "ready", show: (row) => row.label},
			{title: "time", show: (row) => formatSeconds(row.seconds)},
			{title: "share", show: (row) => formatShare(row.seconds / span)},
			{
				title: "",
				kind: "bar",
				show: (row) => meter(row.seconds / most, kind(row))
			},
		],
		rows, 24);
}

/* Returns about 20 rows at most: if there are higher numbers, steps of them share a row. */
function readyFold(levels) {
	const highest = d3.max(levels, ([ready]) => ready) ?? 0;
	const step = Math.max(1, Math.ceil((highest - 1) / 19));
	const rows = new Map();
	for (const [ready, seconds] of levels) {
		const from = ready <= 1 || step === 1 ? ready
						      : 2 + Math.floor((ready - 2) / step) * step;
		const to = ready <= 1 || step === 1 ? ready : Math.min(highest, from + step - 1);
		const row = rows.get(from) ??
			{from, seconds: 0, label: from === to ? String(from) : `${from} to ${to}`};
		row.seconds += seconds;
		rows.set(from, row);
	}
	return [...rows.values()].filter((row) => row.seconds > 0);
}
