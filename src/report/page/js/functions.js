"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels of optional records: calls of functions, and tasks. */

const causeNames = {
	run_queue_s: "run queue",
	blocked_s: "blocked",
	page_faults_s: "page faults",
	disk_s: "device",
	stopped_s: "stopped",
	unknown_s: "unknown",
	on_cpu_s: "on CPU",
};

function functionsPanel(range, recordings) {
	if (!recordings.some((recording) => functionRows(recording).length))
		return null;
	return panel("functions", "Functions", "Which function varies, and why?",
		panelColumns(recordings, (recording) => {
			const rows = functionRows(recording);
			if (!rows.length)
				return element("p", {class: "note"},
					missingSays(recording, "functions") ??
						"No calls were recorded: record with --probe.");
			return element("div", null,
				dataTable("Functions",
					[
						{title: "function", show: (row) => row.function},
						{
							title: "thread",
							kind: "minor",
							show: (row) => row.tid
						},
						{
							title: "calls",
							kind: "minor",
							show: (row) => formatCount(row.calls)
						},
						{
							title: "score",
							show: (row) => formatShare(row.score)
						},
						{
							title: "lost",
							show: (row) => formatSeconds(row.lost_s)
						},
						{
							title: "p50",
							kind: "minor",
							show: (row) => formatSeconds(row.p50_s)
						},
						{
							title: "p99",
							kind: "minor",
							show: (row) => formatSeconds(row.p99_s)
						},
						{
							title: "main cause",
							show: (row) => functionCause(row)
						},
						{
							title: "slowest",
							show: (row) => functionSlowest(range, row)
						},
					],
					rows, 8),
				element("p", {class: "note"},
					"score: the share of the thread's time that its calls lost against the fastest one."));
		}));
}

function functionRows(recording) {
	return recording.rdam?.functions ?? [];
}

function functionCause(row) {
	const sums = Object.entries(row.causes ?? {}).filter(([cause]) => causeNames[cause]);
	const total = d3.sum(sums, ([, seconds]) => seconds);
	const [cause, seconds] = sums.sort((a, b) => b[1] - a[1])[0] ?? [];
	return total > 0 ? `${causeNames[cause]} ${formatShare(seconds / total)}` : "-";
}

/* Makes a button that brushes the slowest call, with half its length before and after it. */
function functionSlowest(range, row) {
	if (!Number.isFinite(row.max_begin_s))
		return formatSeconds(row.max_s);
	return element("button", {
		type: "button",
		title: "show it in all panels",
		onclick: () => rangeSet(
			range, row.max_begin_s - row.max_s / 2, row.max_begin_s + 1.5 * row.max_s),
	},
		formatSeconds(row.max_s));
}

/* --- Tasks ------------------------------------------------------------------------------------ */

function tasksPanel(recordings) {
	if (!recordings.some((recording) => recording.dag))
		return null;
	return panel("tasks", "Tasks", "How much parallelism do the tasks have?",
		panelColumns(recordings,
			(recording) => recording.dag ? tasksOf(recording.dag)
						     : element("p", {class: "note"},
							       missingSays(recording, "tasks") ??
								       "No tasks were recorded.")));
}

function tasksOf(dag) {
	const numbers = facts([
		["work", formatSeconds(dag.work_s)],
		["critical path", formatSeconds(dag.span_s)],
		["parallelism", `${formatNumber(dag.parallelism)} cores`],
		["workers", `${formatCount(dag.workers)}, busy for ${formatShare(dag.busy_share)}`],
	]);
	const sites = dataTable("Where tasks are created",
		[
			{title: "created in", show: tasksSite},
			{title: "tasks", show: (row) => formatCount(row.tasks)},
			{title: "work", show: (row) => formatSeconds(row.work_s)},
			{
				title: "on the critical path",
				show: (row) => formatSeconds(row.critical_s)
			},
		],
		dag.sites ?? []);
	return element("div", null, element("p", {class: "answer"}, dag.verdict), numbers,
		tasksGraph(dag), sites);
}

function tasksSite({function: name, line}) {
	return `${name ?? "?"}${line ? `, line ${line}` : ""}`;
}

/* Draws the nodes with the most work over time, each in the first free lane; edges join them. */
function tasksGraph(dag) {
	const most = 300;
	const nodes = [...(dag.nodes ?? [])]
			      .filter((node) => node.begin_s !== null)
			      .sort((a, b) => b.work_s - a.work_s)
			      .slice(0, most);
	if (nodes.length < 2)
		return null;
	const lanes = tasksLanes(nodes.sort((a, b) => a.begin_s - b.begin_s));
	const width = 1100, row = 14, height = lanes.count * row + 26;
	const x = d3.scaleLinear(
		[d3.min(nodes, (node) => node.begin_s), d3.max(nodes, (node) => node.end_s)],
		[4, width - 4]);
	const svg = svgChart(width, height, `Graph of ${nodes.length} tasks over time`);
	svg.setAttribute("preserveAspectRatio", "none");
	const middle = (node) => lanes.of.get(node.id) * row + row / 2 + 2;
	const byId = new Map(nodes.map((node) => [node.id, node]));
	for (const edge of dag.edges ?? []) {
		const from = byId.get(edge.from), to = byId.get(edge.to);
		if (from && to)
			svg.append(svgElement("path", {
				class: edge.critical ? "edge critical" : "edge",
				d: d3.linkHorizontal()({
					source: [x(from.end_s), middle(from)],
					target: [x(to.begin_s), middle(to)]
				})
			}));
	}
	for (const node of nodes)
		svg.append(svgElement("rect", {
			class: node.critical ? "node critical" : "node",
			x: x(node.begin_s),
			y: middle(node) - 4,
			width: Math.max(1.5, x(node.end_s) - x(node.begin_s)),
			height: 8,
			rx: 1
		},
			svgElement("title", null, taskTitle(node))));
	const shown = `${formatCount(nodes.length)} of ${formatPlural(dag.nodes.length, "node")}`;
	const [from, to] = x.domain().map(formatSeconds);
	return element("div", null, svg,
		element("p", {class: "note"},
			`${shown}, from ${from} to ${to}; the critical path is red.`));
}

function taskTitle(node) {
	const critical = node.critical ? ", on the critical path" : "";
	return `${node.function ?? "?"}: ${formatSeconds(node.work_s)}${critical}`;
}

function tasksLanes(nodes) {
	const ends = [], of = new Map();
	for (const node of nodes) {
		let lane = ends.findIndex((end) => end <= node.begin_s);
		if (lane < 0)
			lane = ends.length < 40 ? ends.length : ends.indexOf(Math.min(...ends));
		ends[lane] = node.end_s;
		of.set(node.id, lane);
	}
	return {of, count: ends.length};
}
