"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of the page: the answer, the warnings about it, and the numbers of the run. */

function verdictHead(recordings, compared) {
	const head = element("header", {id: "verdict"});
	if (recordings.length > 1)
		head.append(...comparisonHead(recordings, compared));
	else
		head.append(...verdictOf(recordings[0]));
	return head;
}

/* Splits a verdict as "pigz: 2.33 s of ... on 2 CPUs. It could ...": numbers, and the headline. */
function verdictParts(verdict) {
	const parts = /^(.*? CPUs?(?: \([^)]*\))?\.) (\S.*)$/s.exec(verdict ?? "");
	return parts ? {numbers: parts[1], answer: parts[2]} : {numbers: "", answer: verdict ?? ""};
}

function verdictOf(recording) {
	const {numbers, answer} = verdictParts(recording.profile.verdict);
	return [
		element("p", {class: "kicker"}, element("code", null, verdictCommand(recording))),
		element("p", {class: "numbers"}, numbers),
		element("h1", null, answer),
		...verdictLeads(recording),
		warningsList(recording),
		verdictNumbers(recording),
	];
}

/* Returns the recorded command, from the command line of the recorder, which is further below. */
function verdictCommand({command, file}) {
	const recorded = / -- (.+)$/s.exec(command ?? "");
	return recorded ? recorded[1] : command ?? file;
}

function verdictLeads({forecast, why}) {
	const texts =
		[["forecast", forecast?.verdict], ["why", why?.verdict]].filter(([, text]) => text);
	return texts.map(([kind, text]) => element("p", {class: `lead ${kind}`}, text));
}

function verdictNumbers({profile}) {
	const entry = (title, value, small) => element("div", null, element("dt", null, title),
		element("dd", null, value, " ", element("small", null, small)));
	/* Without a mean, a share of the known part would be misread as one of the whole run. */
	const known = profile.ready_mean !== null;
	return element("dl", {class: "figures"},
		entry("CPUs used", formatNumber(profile.cpus_used), `of ${profile.cores}`),
		entry("threads ready", formatNumber(profile.ready_mean),
			known ? `mean, ${formatCount(profile.ready_max)} at most` : ""),
		entry("one or none ready", formatShare(known ? profile.one_or_none_share : null),
			known ? formatSeconds(profile.one_or_none_s) : ""),
		entry("run-queue wait", formatSeconds(profile.run_queue_s),
			`p99 ${formatSeconds(profile.run_queue_p99_s)}`),
		entry("other programs", formatShare(profile.others_share), "of usable CPU time"));
}

/* --- Warnings --------------------------------------------------------------------------------- */

/* Returns each warning once, with its failed check, if any. */
function warningsRead({profile, forecast}) {
	const failed = (forecast?.checks ?? []).filter((check) => check.passed === false);
	const warnings = [];
	for (const text of [...(profile.warnings ?? []), ...(forecast?.warnings ?? [])]) {
		const check = warningCheck(text, failed);
		const known =
			warnings.find((one) => one.text === text || (check && one.check === check));
		if (!known)
			warnings.push({texts: [text], text, check});
		else if (!known.texts.includes(text))
			known.texts.push(text);
	}
	return warnings;
}

/*
 * Returns the failed check whose meaning shares most words with the warning: at least half of them,
 * and the first two, which name its subject.
 */
function warningCheck(text, checks) {
	const words = (string) => string.toLowerCase().match(/[a-z]{3,}/g) ?? [];
	const said = new Set(words(text));
	let best = null, most = 0.5;
	for (const check of checks) {
		const meant = words(check.meaning ?? "");
		const share = meant.filter((word) => said.has(word)).length / (meant.length || 1);
		if (share >= most && meant.slice(0, 2).every((word) => said.has(word))) {
			best = check;
			most = share;
		}
	}
	return best;
}

function warningsList(recording) {
	const warnings = warningsRead(recording);
	return element("div", {class: "warnings"},
		warnings.map(
			(warning) => element("details", null,
				element("summary", null, warning.text),
				...warning.texts.slice(1).map((text) => element("p", null, text)),
				warning.check
					? checkFacts(warning.check)
					: element("p", null, warningSource(recording, warning)),
				warning.check
					? element("p", {class: "note"},
						  element("a",
							  {href: "#data", onclick: dataOpenChecks},
							  "all checks"))
					: null)));
}

function warningSource({forecast}, {text}) {
	return forecast?.warnings?.includes(text)
		? "This is a warning of the forecast; no check of its own decides it."
		: "This is a warning of the profile; see Data quality and Cost of recording below.";
}

function checkFacts(check) {
	return facts([
		["check", `${check.check}: ${check.meaning}`],
		["value", check.value === null ? "not known" : formatValue(check.value)],
		["limit", check.limit === null ? null : formatValue(check.limit)],
		[
			"decides",
			check.decides ? "yes: without it there is no replay"
				      : "no: it only limits the meaning of the forecast"
		],
		["what to do", check.advice ?? "Keep it in mind when you read the forecast."],
	]);
}

/* --- Two recordings --------------------------------------------------------------------------- */

/* The share by which two runs of the same program may differ without a cause. */
const comparisonNoise = 0.1;

/* The number of forecasts compared, those on the fewest cores that both recordings have. */
const comparisonForecasts = 5;

/* The keys of which a larger value is worse. */
const comparisonCosts =
	["wall_s", "cpu_s", "run_queue_s", "run_queue_p50_s", "run_queue_p99_s", "forecast_s"];

function comparisonForecast(recording, cores) {
	return recording.forecast?.forecast?.find((row) => row.cores === cores)?.wall_s ?? null;
}

function comparisonHead(recordings, compared) {
	const [a, b] = recordings;
	return [
		element("p", {class: "kicker"},
			"Two recordings: ", element("code", null, recordingLabel(recordings, 0)),
			" and ", element("code", null, recordingLabel(recordings, 1))),
		element("h1", null, comparisonVerdict(a, b)),
		comparisonTable(recordings, compared),
		element("div", {class: "columns"},
			recordings.map(
				(recording, index) => element("div", {class: "column"},
					element("p", {class: "name"},
						recordingLabel(recordings, index)),
					element("p", {class: "lead"}, recording.profile.verdict),
					...verdictLeads(recording), warningsList(recording)))),
	];
}

function comparisonVerdict(a, b) {
	const [before, after] = [a.profile.wall_s, b.profile.wall_s];
	const numbers = `${formatSeconds(after)} instead of ${formatSeconds(before)}`;
	if (Math.abs(after / before - 1) < 0.005)
		return `B takes as long as A: ${numbers}.`;
	const change = Math.abs(after / before - 1);
	const side = after > before ? "more" : "less";
	const doubt =
		change < comparisonNoise ? " Single runs differ by as much without a cause." : "";
	return `B takes ${formatShare(change)} ${side} wall time than A: ${numbers}.${doubt}`;
}

/* Makes the table of the facts that pscal compares, and of forecasts. */
function comparisonTable(recordings, compared) {
	const cores = (recording) => (recording.forecast?.forecast ?? []).map((row) => row.cores);
	const both = cores(recordings[0]).filter((one) => cores(recordings[1]).includes(one));
	const forecasts = both.slice(0, comparisonForecasts).map((count) => {
		const [before, after] =
			recordings.map((recording) => comparisonForecast(recording, count));
		return {
			key: "forecast_s",
			label: `forecast on ${formatPlural(count, "core")}`,
			before,
			after
		};
	});
	const rows = [...(compared?.changes ?? []), ...forecasts];
	const table = dataTable("Differences",
		[
			{title: "", show: (row) => row.label},
			{title: "A", show: (row) => dataValue(row.key, row.before)},
			{title: "B", show: (row) => dataValue(row.key, row.after)},
			{title: "change", show: comparisonChange},
		],
		rows.filter(({before, after}) => before !== null || after !== null), 20);
	table.classList.add("comparison");
	return table;
}

/* Formats a difference. Shares differ by points, as a percentage of a percentage is misread. */
function comparisonChange({key, before, after}) {
	if (key.endsWith("_share") && Number.isFinite(after - before))
		return `${after < before ? "\u2212" : "+"}${
			(100 * Math.abs(after - before)).toFixed(1)} points`;
	const worse = comparisonCosts.includes(key) && after / before > 1 + comparisonNoise;
	return element("span", {class: worse ? "worse" : null}, formatChange(after, before),
		worse ? element("span", {class: "soft"}, " worse") : null);
}
