"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel on the data: checks, quality, cost, machine and command line, folded. */

function dataPanel(recordings) {
	return panel("data", "Data", "May I believe it?",
		panelColumns(recordings,
			(recording) => element("div", {class: "folded"}, dataLeftOut(recording),
				dataChecks(recording), dataThreads(recording),
				dataQuality(recording), dataCost(recording),
				dataMachine(recording))));
}

function dataLeftOut({left_out: left}) {
	return left?.length ? element("p", {class: "note"},
				      `Left out, as a page has 3 MB at most: ${left.join(", ")}.`)
			    : null;
}

function dataFold(title, says, ...children) {
	return element("details", {"data-fold": title},
		element("summary", null, title, element("span", null, `  ${says}`)), ...children);
}

function dataOpenChecks() {
	for (const fold of document.querySelectorAll('[data-fold="Checks"]'))
		fold.open = true;
}

function dataChecks({forecast}) {
	const checks = forecast?.checks ?? [];
	const count = (passed) => checks.filter((check) => check.passed === passed).length;
	if (!checks.length)
		return null;
	const order = (check) => check.passed === false ? 0 : check.passed === null ? 1 : 2;
	const results = `${count(true)} passed, ${count(false)} failed, ${count(null)} open`;
	return dataFold("Checks", `of the forecast: ${results}`,
		dataTable("Checks",
			[
				{title: "check", show: (check) => check.check},
				{
					title: "result",
					show: (check) => ["failed", "open", "passed"][order(check)]
				},
				{
					title: "value",
					show: (check) => check.value === null
						? "-"
						: formatValue(check.value)
				},
				{
					title: "limit",
					show: (check) => check.limit === null
						? "-"
						: formatValue(check.limit)
				},
				{title: "meaning", kind: "text", show: (check) => check.meaning},
				{
					title: "what to do",
					kind: "text",
					show: (check) => check.advice ?? "-"
				},
			],
			[...checks].sort((a, b) => order(a) - order(b)), 40));
}

function dataThreads({threads, threads_left_out: left}) {
	return dataFold("Threads", `${formatCount(threads.length + (left || 0))}, by CPU time`,
		dataTable("Threads",
			[
				{title: "thread", show: threadName},
				{
					title: "process",
					kind: "text",
					show: (thread) => thread.pid
						? `${thread.process ?? ""}/${thread.pid}`
						: "unknown"
				},
				{title: "CPU", show: (thread) => formatSeconds(thread.cpu_s)},
				{
					title: "run queue",
					show: (thread) => formatSeconds(thread.runnable_s)
				},
				{
					title: "blocked",
					show: (thread) => formatSeconds(thread.blocked_s)
				},
				{title: "device", show: (thread) => formatSeconds(thread.disk_s)},
				{
					title: "unknown",
					show: (thread) => formatSeconds(thread.unknown_s)
				},
			],
			threads, 10));
}

/* Returns a key as words: "missed switch ins" for "missed_switch_ins". */
function dataName(key) {
	return key.replace(/_s$/, "").replace(/_/g, " ");
}

function dataValue(key, value) {
	if (typeof value === "boolean")
		return value ? "yes" : "no";
	if (key.endsWith("_share"))
		return formatShare(value);
	return key.endsWith("_s") ? formatSeconds(value) : formatValue(value);
}

/* Returns the numbers and flags of an object, those other than 0 first, as they may be flaws. */
function dataRows(object) {
	const rows = Object.entries(object ?? {}).filter(([
		, value
	]) => value !== null && typeof value !== "object" && typeof value !== "string");
	return [...rows.filter(([, value]) => value), ...rows.filter(([, value]) => !value)];
}

function dataTableOf(label, object) {
	return dataTable(label,
		[
			{title: label, show: ([key]) => dataName(key)},
			{title: "", show: ([key, value]) => dataValue(key, value)},
		],
		dataRows(object), 40);
}

function dataQuality({quality}) {
	const faults = dataRows(quality).filter(
		([key, value]) => value && key !== "events" && key !== "sampled_events");
	const says = faults.length
		? faults.slice(0, 3)
			  .map(([key, value]) => `${dataName(key)} ${dataValue(key, value)}`)
			  .join(", ")
		: `nothing is missing in ${formatCount(quality?.events ?? 0)} events`;
	return dataFold("Data quality", says, dataTableOf("data", quality));
}

function dataCost({cost}) {
	if (!cost)
		return null;
	const says = cost.added_share === null || cost.added_share === undefined
		? `recorder ${formatSeconds(cost.recorder_s)} of CPU time`
		: `${formatShare(cost.added_share)} of the CPU time of the program`;
	return dataFold("Cost of recording", says, dataTableOf("cost", cost));
}

function dataMachine({machine, command, file, duration_s: duration}) {
	return dataFold("Machine and command line", command ?? file, facts([
		["command", command ? element("code", null, command) : null],
		["file", file],
		["wall time", formatSeconds(duration)],
		["CPUs", machine?.cpus ? formatCount(machine.cpus) : "unknown"],
		["CPU", machine?.cpu ?? "unknown"],
		["kernel", machine?.kernel ?? "unknown"],
	]));
}
