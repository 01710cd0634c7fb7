"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forecast of the wall time on other numbers of cores, and the waits that it depends on. The
 * slider of a wait moves the forecast between points from replays with 100, 50 and 0 % of the
 * waiting.
 */

const forecastHeight = 250;
const forecastMargin = {
	left: 52,
	right: 10,
	top: 10,
	bottom: 34
};

function forecastPanel(recordings) {
	const charts = recordings.map((recording) => forecastNew(recording, recordings));
	return panel("forecast", "Forecast", "How fast is it on more cores, and what would help?",
		panelColumns(recordings,
			(recording, index) => element("div", {class: "halves"}, charts[index].node,
				waitsNew(recording, charts[index]))));
}

function forecastNew(recording, recordings) {
	const {forecast} = recording;
	if (!forecast?.forecast)
		return {
			node: element("div", null,
				element("p", null,
					forecast?.refused ??
						missingSays(recording, "the forecast") ??
						"There is no forecast of this recording."),
				forecast?.hint ? element("p", {class: "note"}, forecast.hint)
					       : null),
			draw: () => {}
		};
	const chart = {
		recording,
		rows: forecast.forecast,
		measure: "wall",
		closed: false,
		listeners: [],
		most: forecastMost(recordings.flatMap((one) => one.forecast?.forecast ?? [])),
		place: element("div", {class: "forecast-chart"}),
		reading: element("p", {class: "answer forecast-reading", "aria-live": "polite"}),
	};
	recording.cores ??= forecastCores(recording);
	chart.draw = () => forecastDraw(chart);
	chart.node = element("div", null, chart.reading,
		forecast.reason && !forecast.checks
			? element("p", {class: "note"}, `Closed form: ${forecast.reason}.`)
			: null,
		forecastControls(chart), chart.place, forecastLegend(chart), forecastTable(chart));
	new ResizeObserver(chart.draw).observe(chart.place);
	return chart;
}

/*
 * Returns the highest wall time in the chart. Intervals and recorded times beyond twice the highest
 * forecast are cut off, as the forecast would be a flat line below them.
 */
function forecastMost(rows) {
	const highest = d3.max(rows, (row) => row.wall_s);
	return Math.min(2 * highest,
		d3.max(rows, (row) => Math.max(row.hi_s ?? 0, row.wall_s, row.recorded_s ?? 0)));
}

/*
 * Returns the start of the slider: the fewest cores, from the recorded number on, that are nearly
 * as fast as any.
 */
function forecastCores({forecast: {forecast, recorded_cores: recorded}}) {
	const best = d3.min(forecast, (row) => row.wall_s);
	const enough = forecast.filter((row) => row.wall_s <= 1.05 * best);
	return (enough.find((row) => row.cores >= recorded) ?? enough[0]).cores;
}

function forecastControls(chart) {
	const {rows, recording} = chart;
	const slider = element("input", {
		type: "range",
		min: 0,
		max: rows.length - 1,
		step: 1,
		"aria-label": "Cores",
		class: "cores",
		oninput: (event) => {
			recording.cores = rows[event.target.value].cores;
			forecastUpdate(chart);
		},
	});
	slider.value = rows.findIndex((row) => row.cores === recording.cores);
	chart.slider = slider;
	const measure = (value, label) => element("button", {
		type: "button",
		"aria-pressed": String(chart.measure === value),
		"data-measure": value,
		onclick: (event) => {
			chart.measure = value;
			for (const button of event.target.parentNode.querySelectorAll(
				     "[data-measure]"))
				button.setAttribute(
					"aria-pressed", String(button === event.target));
			chart.draw();
		},
	},
		label);
	return element("div", {class: "controls"}, element("label", null, "cores", slider),
		measure("wall", "wall time"), measure("speedup", "speedup"),
		element("label", null, element("input", {
			type: "checkbox",
			class: "closed-form",
			onchange: (event) => {
				chart.closed = event.target.checked;
				chart.draw();
			}
		}),
			"closed form"));
}

function forecastUpdate(chart) {
	chart.draw();
	for (const listener of chart.listeners)
		listener();
}

function forecastLegend(chart) {
	const entries = [["running", "forecast"]];
	if (chart.rows.some((row) => row.lo_s !== null))
		entries.push(["band", "90 % interval"]);
	if (chart.rows.some((row) => forecastBound(row) > 0))
		entries.push(["soft", "lower bound: work, critical path, locks", "dash"]);
	entries.push(["ink", "recorded"]);
	if (chart.recording.what_if?.length)
		entries.push(["runnable", "with less waiting", "dash"]);
	return legend(entries);
}

/* Returns the lower bound of any schedule on these cores; 0 if none is known. */
function forecastBound(row) {
	return Math.max(row.work_bound_s ?? 0, row.path_bound_s ?? 0, row.lock_bound_s ?? 0);
}

/* Returns the wall time for the share on a wait's slider; null if all sliders are at 100 %. */
function forecastChanged(recording, cores) {
	if (!recording.change)
		return null;
	const {entry, share} = recording.change;
	const at = entry.cores.indexOf(cores);
	return at < 0 ? null : entry.wall_s[String(share)]?.[at] ?? null;
}

function forecastDraw(chart) {
	const {rows, recording, place} = chart;
	const row = rows.find((one) => one.cores === recording.cores) ?? rows[0];
	chart.reading.replaceChildren(...forecastReading(recording, row));
	chart.slider.setAttribute("aria-valuetext", formatPlural(row.cores, "core"));
	const width = place.clientWidth, height = forecastHeight;
	if (!width)
		return;
	const speed = chart.measure === "speedup";
	const base = rows[0].wall_s * rows[0].speedup;
	const value = (seconds) => speed ? base / seconds : seconds;
	const x = d3.scaleLog(
			    [
				    Math.min(...rows.map((one) => one.cores)),
				    Math.max(2, ...rows.map((one) => one.cores))
			    ],
			    [forecastMargin.left, width - forecastMargin.right])
			  .base(2);
	const most = speed
		? d3.max(rows,
			  (one) => Math.max(value(one.lo_s ?? one.wall_s),
				  value(forecastChanged(recording, one.cores) ?? one.wall_s)))
		: chart.most;
	const y = d3.scaleLinear(
		[0, most * 1.05], [height - forecastMargin.bottom, forecastMargin.top]);
	const svg = svgChart(width, height, recording.forecast.verdict);
	drawAxes(svg, {x, y, width, height}, chart.rows.map((one) => one.cores), "cores",
		chart.measure === "speedup" ? [1, "x"] : secondUnit(y.domain()[1]));
	forecastLines(svg, chart, x, (seconds) => y(value(seconds)), row);
	place.replaceChildren(svg);
}

function forecastReading(recording, row) {
	const changed = forecastChanged(recording, row.cores);
	const interval = row.lo_s === null || row.hi_s === null
		? ""
		: ` (90 % interval ${formatSeconds(row.lo_s)} to ${formatSeconds(row.hi_s)})`;
	const parts = [
		`${formatPlural(row.cores, "core")}: `,
		element("b", null, formatSeconds(changed ?? row.wall_s))
	];
	if (changed !== null) {
		const {share, entry} = recording.change;
		const whole = `${formatSeconds(row.wall_s)} as it is`;
		const change = formatChange(changed, row.wall_s);
		return [
			...parts,
			` with ${share} % of the waiting at ${entry.site}; ${whole} (${change})`
		];
	}
	const speedup = row.cores === 1 ? "" : `, ${formatNumber(row.speedup)}x faster than on one`;
	return [...parts, interval, speedup, `, efficiency ${formatShare(row.efficiency)}`];
}

/*
 * Draws the axes. `unit`: [size, name] of the y values; `ticks`: the x values, counts of `things`.
 */
function drawAxes(svg, plot, ticks, things, unit) {
	const {x, y, width, height} = plot;
	const scaled = d3.scaleLinear(y.domain().map((value) => value / unit[0]), y.range());
	d3.select(svg)
		.append("g")
		.attr("transform", `translate(${forecastMargin.left},0)`)
		.call(d3.axisLeft(scaled)
				.ticks(5)
				.tickSize(-(width - forecastMargin.left - forecastMargin.right))
				.tickFormat((value) => `${value} ${unit[1]}`));
	d3.select(svg)
		.append("g")
		.attr("transform", `translate(0,${height - forecastMargin.bottom})`)
		.call(d3.axisBottom(x).tickValues(ticks).tickFormat(String).tickSize(5));
	svg.append(svgElement("text",
		{x: width - forecastMargin.right, y: height - 2, "text-anchor": "end"}, things));
}

function forecastLines(svg, chart, x, y, row) {
	const {rows, recording, place} = chart;
	const line = (value) => d3.line()
					.x((one) => x(one.cores))
					.y((one) => y(value(one)))
					.defined((one) => value(one) > 0)(rows);
	const add = (kind, d) => d && svg.append(svgElement("path", {class: kind, d}));
	add("band",
		d3.area()
			.x((one) => x(one.cores))
			.y0((one) => y(one.lo_s))
			.y1((one) => y(one.hi_s))
			.defined((one) => one.lo_s !== null && one.hi_s !== null)(rows));
	add("bound", line(forecastBound));
	if (chart.closed)
		add("closed", line((one) => one.closed_form_s));
	const clip = `clip-forecast-${recording.index}`;
	svg.append(svgElement("clipPath", {id: clip}, svgElement("rect", {
		x: 0,
		y: forecastMargin.top - 4,
		width: place.clientWidth,
		height: forecastHeight - forecastMargin.top
	})));
	for (const path of svg.querySelectorAll("path.band, path.closed, path.bound"))
		path.setAttribute("clip-path", `url(#${clip})`);
	svg.append(svgElement("line", {
		class: "guide",
		x1: x(row.cores),
		x2: x(row.cores),
		y1: forecastMargin.top,
		y2: forecastHeight - forecastMargin.bottom
	}));
	add("line", line((one) => one.wall_s));
	if (recording.change)
		add("changed", line((one) => forecastChanged(recording, one.cores)));
	for (const one of rows) {
		svg.append(forecastPoint(chart, one, x(one.cores), y(one.wall_s)));
		if (one.recorded_s > 0)
			svg.append(...forecastRecordedMark(
				recording, one, x(one.cores), y(one.recorded_s)));
	}
}

/* Makes a diamond at the recorded wall time, or a triangle with the number at the chart's edge. */
function forecastRecordedMark(recording, row, x, y) {
	const title = svgElement("title", null, forecastRecorded(recording, row));
	const {top} = forecastMargin;
	if (y >= top && y <= forecastHeight - forecastMargin.bottom)
		return [svgElement(
			"path", {class: "recorded", d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z`}, title)];
	const [edge, side] = y < top ? [top, 1] : [forecastHeight - forecastMargin.bottom, -1];
	return [
		svgElement("path",
			{class: "recorded", d: `M${x} ${edge - side * 3}l7 ${side * 12}h-14z`},
			title),
		svgElement("text", {x: x + 12, y: edge + side * 8, "dominant-baseline": "middle"},
			`recorded ${formatSeconds(row.recorded_s)}`)
	];
}

function forecastRecorded(recording, row) {
	const share = recording.forecast.others_share;
	return `recorded: ${formatSeconds(row.recorded_s)} on ${formatPlural(row.cores, "core")}` +
		(share > 0.05 ? `, of which other programs used ${formatShare(share)}` : "");
}

function forecastPoint(chart, row, x, y) {
	return svgElement("circle", {
		class: "point",
		cx: x,
		cy: y,
		r: row.cores === chart.recording.cores ? 5 : 3.5,
		onclick: () => {
			chart.recording.cores = row.cores;
			chart.slider.value = chart.rows.indexOf(row);
			forecastUpdate(chart);
		},
	},
		svgElement("title", null,
			`${formatPlural(row.cores, "core")}: ${formatSeconds(row.wall_s)}`));
}

function forecastTable(chart) {
	const interval = (row) => row.lo_s === null
		? "-"
		: `${formatSeconds(row.lo_s)} to ${formatSeconds(row.hi_s)}`;
	return element("details", null, element("summary", null, "Numbers"),
		dataTable("Forecast",
			[
				{title: "cores", show: (row) => formatCount(row.cores)},
				{title: "wall time", show: (row) => formatSeconds(row.wall_s)},
				{title: "90 % interval", show: interval},
				{title: "speedup", show: (row) => `${formatNumber(row.speedup)}x`},
				{title: "efficiency", show: (row) => formatShare(row.efficiency)},
				{
					title: "lower bound",
					show: (row) => forecastBound(row)
						? formatSeconds(forecastBound(row))
						: "-"
				},
				{
					title: "recorded",
					show: (row) =>
						row.recorded_s ? formatSeconds(row.recorded_s) : "-"
				},
			],
			chart.rows, 20),
		element("p", {class: "note"}, chart.recording.forecast.assumptions ?? ""));
}

/* --- The waits -------------------------------------------------------------------------------- */

/* Makes the table of waits and their costs, which follows the slider of cores. */
function waitsNew(recording, chart) {
	const box = element("div", {class: "waits"});
	const draw = () => box.replaceChildren(...waitsTable(recording, chart));
	chart.listeners?.push(draw);
	draw();
	return box;
}

function waitsTable(recording, chart) {
	const sites = waitSites(recording);
	if (!recording.why)
		return [element("p", {class: "note"},
			missingSays(recording, "the cost of waits") ??
				"The cost of waits is known only from a replay, and there is none.")];
	const head = element("h3", null,
		`Work and waits, and what each costs on ${
			formatPlural(waitCores(recording), "core")}`);
	if (!sites.length)
		return [
			head,
			element("p", {class: "note"},
				"No wait of a thread is known to cost wall time.")
		];
	const most = d3.max(sites, (site) => site.saved_s) || 1;
	const sliders = [];
	const table = dataTable("Waits",
		[
			{title: "waits at", show: waitName},
			{
				title: "times",
				kind: "minor",
				show: (site) => waitIsWork(site) ? "" : formatCount(site.visits)
			},
			{
				title: "waited",
				kind: "minor",
				show: (site) => waitIsWork(site) ? "" : formatSeconds(site.waited_s)
			},
			{title: "costs", show: (site) => formatSeconds(Math.max(0, site.saved_s))},
			{
				title: "share",
				kind: "minor",
				show: (site) => formatShare(Math.max(0, site.saved_share))
			},
			{
				title: "",
				kind: "bar",
				show: (site) => waitSlider(recording, chart, site, sliders) ??
					meter(site.saved_s / most, "crowded")
			},
		],
		sites, 8);
	return [
		head, table, element("p", {class: "note"}, waitsNote(recording, sites[0], sliders))
	];
}

/* Returns true for a row of work, which has the cost of half of it, and stands below the waits. */
function waitIsWork(site) {
	return site.kind === "work";
}

function waitName(site) {
	if (!waitIsWork(site))
		return site.name.replace(" <-> ", " \u2194 ");
	const threads = site.thread_name && !site.name.startsWith("thread:")
		? ` in ${site.thread_name}`
		: "";
	return `half of the work of ${site.name}${threads}`;
}

function waitsNote(recording, site, sliders) {
	if (sliders.length)
		return "A slider shortens the waiting at one place and moves the forecast. " +
			"One at a time: savings overlap.";
	const {forecast, model} = recording.forecast ?? {};
	const row = forecast?.find((one) => one.cores === site.cores);
	const overlap = "Savings overlap; do not add them.";
	if (!row || model === "replay")
		return overlap;
	const replay = `${formatSeconds(site.wall_s)} on ${formatPlural(site.cores, "core")}`;
	return `${overlap} These are of a replay (${replay}); the forecast is the closed form.`;
}

/* Returns the number of cores for the waits: that of the slider if known, else that of --why. */
function waitCores(recording) {
	const {why} = recording.why ?? {};
	return why?.sites?.some((site) => site.cores === recording.cores)
		? recording.cores
		: why?.cores ?? recording.cores ?? 1;
}

function waitSites(recording) {
	const cores = waitCores(recording);
	return (recording.why?.why?.sites ?? [])
		.filter((site) => site.cores === cores)
		.sort((a, b) => waitIsWork(a) - waitIsWork(b) || b.saved_s - a.saved_s);
}

/*
 * Returns the forecasts with less waiting at a site: {site, cores, wall_s: {share: [...]}}. --why
 * has them with no waiting for each number of cores; the sites that cost most also have 50 %. Null
 * if the waits are of a replay and the forecast is not.
 */
function waitEntry(recording, site) {
	const {forecast} = recording.forecast;
	const whole = forecast.find((row) => row.cores === site.cores);
	if (!whole || Math.abs(whole.wall_s - site.wall_s) > 0.01 * whole.wall_s)
		return null;
	const known = recording.what_if?.find(
		(one) => one.id === undefined ? one.site === site.name : one.id === site.site);
	if (known)
		return known;
	const rows = recording.why.why.sites.filter(
		(one) => one.site === site.site && one.without_wall_s !== null);
	return {
		site: site.name,
		cores: rows.map((row) => row.cores),
		wall_s: {0: rows.map((row) => row.without_wall_s)}
	};
}

function waitSlider(recording, chart, site, sliders) {
	const entry = chart.rows && !waitIsWork(site) ? waitEntry(recording, site) : null;
	if (!entry)
		return null;
	const share = recording.change?.entry.site === entry.site ? recording.change.share : 100;
	const output = element("output", {class: "soft"}, `${share} %`);
	const slider = element("input", {
		type: "range",
		min: 0,
		max: 100,
		step: entry.wall_s["50"] ? 50 : 100,
		value: share,
		class: "wait",
		"aria-label": `Share of the waiting at ${site.name}`,
		"data-site": site.name,
		oninput: () => waitChange(recording, chart, entry, {slider, output}, sliders),
	});
	sliders.push({slider, output});
	return element("label", null, slider, " ", output);
}

/* Moves a slider and sets all others to 100 %, as only one change was replayed at a time. */
function waitChange(recording, chart, entry, moved, sliders) {
	const share = Number(moved.slider.value);
	for (const {slider, output} of sliders) {
		slider.value = slider === moved.slider ? share : 100;
		output.textContent = `${slider.value} %`;
	}
	recording.change = share === 100 ? null : {entry, share};
	chart.draw();
}
