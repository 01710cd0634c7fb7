"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The performance model of a server: its network of queues, pools and stations, its self-check, and
 * forecasts for loads and numbers of threads, which sliders choose.
 */

const modelHeight = 220;

function modelPanel(recordings) {
	const shows = (recording) => recording.model || recording.model_forecast ||
		missingSays(recording, "the performance model");
	if (!recordings.some(shows))
		return null;
	return panel("model", "Requests",
		"How many requests can it answer, and with which threads?",
		panelColumns(recordings,
			(recording) =>
				recording.model ? modelOf(recording) : modelNone(recording)));
}

function modelNone(recording) {
	const missing = missingSays(recording, "the performance model");
	return missing ? element("p", {class: "note"}, missing)
		       : modelRefusal(recording.model_forecast ?? {
				 refused: "No requests were recorded",
				 hint: "record with --requests or --sync=all"
			 });
}

function modelRefusal({refused, hint}) {
	return element("p", {class: "note"}, `No forecast: ${refused}${hint ? `; ${hint}` : ""}.`);
}

function modelOf(recording) {
	const {model, model_forecast: forecast} = recording;
	const missing = missingSays(recording, "forecasts of the performance model");
	return element("div", null, element("p", {class: "answer"}, model.verdict),
		element("div", {class: "warnings"},
			model.warnings.map((text) => element("p", null, text))),
		modelNetwork(recording),
		element("div", {class: "halves pair"},
			forecast?.forecast ? modelForecast(forecast)
				: missing  ? element("p", {class: "note"}, missing)
					   : modelRefusal(forecast),
			modelTables(model)));
}

/* Copies the picture from the static text, which is hidden. */
function modelNetwork(recording) {
	const picture = document.querySelector(`#network-${recording.index} svg`);
	if (!picture)
		return element("p", {class: "note"},
			missingSays(recording, "the picture of the performance model") ??
				"There is no picture of its network: graphviz was missing, or it is too large.");
	return element("div", {class: "wide network"}, picture.cloneNode(true));
}

/* --- Tables ----------------------------------------------------------------------------------- */

function modelTables({pools, stations, check}) {
	return element("div", null,
		dataTable("Pools of threads",
			[
				{title: "pool", show: (row) => row.pool},
				{title: "threads", show: (row) => formatCount(row.threads)},
				{title: "busy", show: (row) => formatShare(row.utilisation)},
				{
					title: "visits/s",
					kind: "minor",
					show: (row) => formatNumber(row.visits_per_s)
				},
				{title: "CPU", show: (row) => formatSeconds(row.cpu_s)},
				{title: "waits", show: (row) => formatSeconds(row.waits_s)},
			],
			pools, 8),
		dataTable("Where requests and threads wait",
			[
				{title: "waits at", show: (row) => row.station},
				{title: "kind", kind: "text minor", show: (row) => row.kind},
				{
					title: "busy",
					show: (row) => row.kind === "queue"
						? "-"
						: formatShare(row.utilisation)
				},
				{title: "waiting", show: (row) => formatNumber(row.length)},
				{title: "mean wait", show: (row) => formatSeconds(row.wait_s)},
			],
			stations, 6),
		dataTable("Self-check",
			[
				{title: "self-check", show: (row) => modelNumber(row.number)},
				{
					title: "recorded",
					show: (row) => modelValue(row.number, row.recorded)
				},
				{title: "model", show: (row) => modelValue(row.number, row.model)},
				{
					title: "error",
					show: (row) => formatChange(row.model, row.recorded)
				},
			],
			check ?? [], 8));
}

const modelNumbers = {
	throughput_per_s: "requests/s",
	response_s: "mean response time",
	response_p95_s: "95 % within",
	busy_cores: "busy cores",
	wall_s: "wall time",
};

function modelNumber(key) {
	return modelNumbers[key] ?? dataName(key);
}

function modelValue(key, value) {
	return key.endsWith("per_s") ? formatNumber(value) : dataValue(key, value);
}

/* --- Forecasts -------------------------------------------------------------------------------- */

/* Returns the load of a row: a rate, or a number of clients; null for a batch. */
function modelLoad(row) {
	return row.rate_per_s ?? row.clients;
}

function modelForecast({forecast: rows, warnings}) {
	const unique = (values) => [...new Set(values)].sort((a, b) => a - b);
	const chart = {
		rows,
		threads: unique(rows.map((row) => row.threads)),
		loads: unique(rows.map(modelLoad)),
		at: {},
		place: element("div", {class: "forecast-chart"}),
		reading: element("p", {class: "answer model-reading", "aria-live": "polite"}),
	};
	const draw = () => modelDraw(chart);
	const sliders = [
		modelSlider(chart, "threads", (value) => formatPlural(value, "thread"), draw),
		modelSlider(chart, "loads", (value) => modelLoadText(rows[0], value), draw),
	];
	new ResizeObserver(draw).observe(chart.place);
	return element("div", null, chart.reading, element("div", {class: "controls"}, sliders),
		chart.place, legend([
			["running", rows[0].wall_s > 0 ? "wall time" : "mean response time"],
			["band", "90 % interval"],
			["runnable", "overloaded: requests pile up", 8],
		].slice(0, rows.some((row) => row.grows) ? 3 : 2)),
		element("details", null, element("summary", null, "Numbers"),
			modelForecastTable(rows),
			warnings.map((text) => element("p", {class: "note"}, text))));
}

function modelLoadText(row, load) {
	if (row.rate_per_s !== null)
		return `${formatNumber(load)} requests/s`;
	return row.clients === null ? "the recorded load" : formatPlural(load, "client");
}

/* Makes a slider that begins at the recorded load or number of threads, which is the smallest. */
function modelSlider(chart, key, text, draw) {
	const values = chart[key];
	chart.at[key] = key === "threads" ? 0 : Math.floor(values.length / 2);
	if (values.length < 2)
		return null;
	const output = element("output", null, text(values[chart.at[key]]));
	return element("label", null, key === "threads" ? "threads" : "load", element("input", {
		type: "range",
		class: `model-${key}`,
		min: 0,
		max: values.length - 1,
		step: 1,
		value: chart.at[key],
		"aria-label": key === "threads" ? "Threads of the pool" : "Load",
		oninput: (event) => {
			chart.at[key] = Number(event.target.value);
			output.textContent = text(values[chart.at[key]]);
			draw();
		},
	}),
		" ", output);
}

/* Returns the rows of the chosen load, in the order of their threads. */
function modelRows({rows, loads, at}) {
	return rows.filter((row) => modelLoad(row) === loads[at.loads])
		.sort((a, b) => a.threads - b.threads);
}

/* Returns [value, lower, upper] of the wall time of a batch, else of the mean response time. */
function modelTime(row) {
	return row.wall_s > 0 ? [row.wall_s, row.wall_lo_s, row.wall_hi_s]
			      : [row.response_s, row.response_lo_s, row.response_hi_s];
}

function modelReading(row) {
	const threads = row.threads === null ? "" : `${formatPlural(row.threads, "thread")}, `;
	const head = `${threads}${modelLoadText(row, modelLoad(row))}: `;
	if (row.grows)
		return [
			head, element("b", null, "overloaded"),
			`, ${
				formatNumber(
					row.growth_per_s)} more a second arrive than are answered${
				row.limit ? `; ${row.limit} is full` : ""}`
		];
	const [time, low, high] = modelTime(row).map(formatSeconds);
	const p95 = row.wall_s > 0 ? "" : `, 95 % within ${formatSeconds(row.response_p95_s)}`;
	const beyond = row.extrapolated > 1.1
		? `; ${formatNumber(row.extrapolated)}x beyond what was recorded`
		: "";
	return [
		head, element("b", null, time), ` (90 % interval ${low} to ${high})${p95}${beyond}`
	];
}

function modelDraw(chart) {
	const rows = modelRows(chart);
	const row = rows[chart.at.threads] ?? rows[0];
	chart.reading.replaceChildren(...modelReading(row));
	const width = chart.place.clientWidth;
	const shown = rows.filter((one) => !one.grows);
	if (!width || rows.length < 2)
		return;
	const times = chart.rows.filter((one) => !one.grows).map(modelTime);
	const most = Math.min(d3.max(times, (time) => time[2] ?? time[0]) ?? 1,
		2 * (d3.max(times, (time) => time[0]) ?? 1));
	const x = d3.scaleLinear([rows[0].threads, rows[rows.length - 1].threads],
		[forecastMargin.left, width - forecastMargin.right - 6]);
	const y = d3.scaleLinear(
		[0, most * 1.05], [modelHeight - forecastMargin.bottom, forecastMargin.top]);
	const svg = svgChart(width, modelHeight, `Time by number of threads, now ${row.threads}`);
	drawAxes(svg, {x, y, width, height: modelHeight}, rows.map((one) => one.threads), "threads",
		secondUnit(y.domain()[1]));
	modelLines(svg, shown, x, y);
	for (const one of rows)
		svg.append(modelPoint(one, x(one.threads),
			one.grows ? forecastMargin.top : y(modelTime(one)[0]), one === row));
	chart.place.replaceChildren(svg);
}

function modelLines(svg, rows, x, y) {
	const top = (value) => Math.max(forecastMargin.top, y(value));
	const add = (kind, d) => d && svg.append(svgElement("path", {class: kind, d}));
	add("band",
		d3.area()
			.x((row) => x(row.threads))
			.y0((row) => y(modelTime(row)[1]))
			.y1((row) => top(modelTime(row)[2] ?? Infinity))
			.defined((row) => modelTime(row)[1] !== null)(rows));
	add("line", d3.line().x((row) => x(row.threads)).y((row) => y(modelTime(row)[0]))(rows));
}

function modelPoint(row, x, y, chosen) {
	return svgElement("circle",
		{class: row.grows ? "point grows" : "point", cx: x, cy: y, r: chosen ? 5 : 3.5},
		svgElement("title", null,
			`${formatPlural(row.threads ?? 1, "thread")}: ${
				row.grows ? "overloaded" : formatSeconds(modelTime(row)[0])}`));
}

function modelForecastTable(rows) {
	const time = (row) => row.grows ? "overloaded" : formatSeconds(modelTime(row)[0]);
	const interval = (row) =>
		row.grows ? "-" : modelTime(row).slice(1).map(formatSeconds).join(" to ");
	return dataTable("Forecasts of the performance model",
		[
			{title: "threads", show: (row) => row.threads},
			{title: "load", show: (row) => modelLoadText(row, modelLoad(row))},
			{title: "answered/s", show: (row) => formatNumber(row.throughput_per_s)},
			{title: "time", show: time},
			{title: "90 % interval", kind: "minor", show: interval},
			{title: "limit", kind: "text", show: (row) => row.limit},
		],
		rows, 24);
}
