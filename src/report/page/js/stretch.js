"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work inflation of the second recording beside the first: the extra CPU time of the same code, and
 * the use of the time of the cores.
 */

const stretchParts = [
	["useful_work_s", "useful work", "running"], ["work_inflation_s", "work inflation", "disk"],
	["overhead_s", "parallel overhead", "mixed"],
	["run_queue_wait_s", "run-queue wait", "runnable"],
	["task_wait_s", "wait for tasks", "others"], ["idle_s", "idle", "idle"]
];

function stretchPanel({stretch, left_out}) {
	const missing = missingSays({left_out}, "work inflation");
	const question = "Does the same work take more CPU time in B than in A?";
	if (!stretch)
		return missing ? panel("stretch", "Work inflation", question,
					 element("p", {class: "note"}, missing))
			       : null;
	return panel("stretch", "Work inflation", question,
		element("p", {class: "answer"}, stretch.verdict),
		element("div", {class: "warnings"},
			stretch.warnings.map((text) => element("p", null, text))),
		stretchCores(stretch.core_time), stretchRows(stretch.rows));
}

/* Draws the time of all cores of B as one bar. It has no inflation if work became less. */
function stretchCores(time) {
	const parts = stretchParts.filter(([key]) => time?.[key] > 0);
	const total = d3.sum(parts, ([key]) => time[key]);
	if (!parts.length)
		return null;
	const says = ([key, label]) =>
		`${label} ${formatSeconds(time[key])}, ${formatShare(time[key] / total)}`;
	return element("div", null,
		element("p", {class: "note"},
			`${formatPlural(time.cores, "core")} of B for ${
				formatSeconds(time.wall_s)}`),
		element("div",
			{class: "stack", role: "img", "aria-label": parts.map(says).join("; ")},
			parts.map(([key, , color]) => element("i", {
				style: `background:var(--${color});width:${
					(100 * time[key] / total).toFixed(2)}%`
			}))),
		legend(parts.map((part) => [part[2], says(part)])));
}

function stretchRows(rows) {
	const least = 0.01 * d3.sum(rows, (row) => row.serial_s);
	const shown = rows.filter((row) => row.serial_s >= least || row.parallel_s >= least);
	const most = d3.max(shown, (row) => d3.max([
		row.serial_s, row.parallel_s, Math.min(stretchEnds(row)[1], 2 * row.parallel_s)
	])) || 1;
	return element("div", null,
		dataTable("Work inflation by part of the code",
			[
				{title: "code", show: stretchName},
				{title: "A", show: (row) => formatSeconds(row.serial_s)},
				{title: "B", show: (row) => formatSeconds(row.parallel_s)},
				{title: "change", show: (row) => stretchChange(row)},
				{title: "95 % interval", kind: "minor", show: stretchInterval},
				{title: "", kind: "bar", show: (row) => stretchBars(row, most)},
			],
			shown, 8),
		legend([
			["others", "CPU time in A"], ["running", "CPU time in B"],
			["ink", "95 % interval", 2]
		]));
}

/* Returns the CPU time of B for either end of the inflation's interval. */
function stretchEnds({serial_s: serial, inflation_from: from, inflation_to: to}) {
	return from === null || to === null ? [null, null]
					    : [serial * (1 + from), serial * (1 + to)];
}

/* Draws a bar of A above one of B, with the interval of B as a line. */
function stretchBars(row, most) {
	const x = d3.scaleLinear([0, most], [0, 100]).clamp(true);
	const bar = (kind, y, seconds) =>
		svgElement("rect", {class: kind, x: 0, y, width: x(seconds), height: 9});
	const [from, to] = stretchEnds(row);
	const interval = from === null ? null : svgElement("rect", {
		class: "interval",
		x: x(from),
		y: 15,
		width: x(to) - x(from),
		height: 2
	});
	return svgElement("svg", {
		class: "bars",
		viewBox: "0 0 100 22",
		preserveAspectRatio: "none",
		"aria-hidden": "true"
	},
		bar("others", 0, row.serial_s), bar("running", 11, row.parallel_s), interval);
}

function stretchName(row) {
	if (row.function)
		return row.function;
	return row.level === null ? `${row.object ?? "?"} (no symbols)` : `level ${row.level}`;
}

/* Formats a signed share, as "+5.8 %". */
function stretchSigned(share) {
	return `${share < 0 ? "\u2212" : "+"}${formatShare(Math.abs(share))}`;
}

function stretchChange({inflation}) {
	return inflation === null ? "few samples" : stretchSigned(inflation);
}

function stretchInterval({inflation_from: from, inflation_to: to}) {
	return from === null || to === null ? "-"
					    : `${stretchSigned(from)} to ${stretchSigned(to)}`;
}
