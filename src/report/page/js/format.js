"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as pscal prints them: three digits, a unit, and "unknown" for what is not known. */

/* Thin spaces between groups of three digits. */
function formatCount(value) {
	return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function formatNumber(value) {
	if (!Number.isFinite(value))
		return "unknown";
	if (value === 0 || Math.abs(value) >= 99.95)
		return formatCount(value);
	return Math.abs(value) < 1e-6 ? value.toExponential(2) : value.toPrecision(3);
}

/* Of numbers that may be counts. */
function formatValue(value) {
	return Number.isInteger(value) ? formatCount(value) : formatNumber(value);
}

const secondUnits = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];

/* The largest unit of which `seconds` are one or more once they are rounded. */
function secondUnit(seconds) {
	return secondUnits.find(([size]) => Math.abs(seconds) >= 0.9995 * size) ?? secondUnits[3];
}

function formatSeconds(seconds) {
	if (!Number.isFinite(seconds))
		return "unknown";
	if (seconds === 0)
		return "0 s";
	const [size, unit] = secondUnit(seconds);
	return `${formatNumber(seconds / size)} ${unit}`;
}

/* A point in time, with as many digits as tell `span` into a thousand parts. */
function formatInstant(seconds, span, total) {
	const [size, unit] = secondUnit(total);
	const digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span / size))));
	return `${(seconds / size).toFixed(digits)} ${unit}`;
}

/* Below 10 % two decimals: more digits of a small share are noise. */
function formatShare(share) {
	if (!Number.isFinite(share))
		return "unknown";
	const percent = 100 * share;
	if (percent !== 0 && Math.abs(percent) < 0.005)
		return "< 0.01 %";
	const small = Math.abs(percent) < 9.995;
	return `${small ? Number(percent.toFixed(2)) : formatNumber(percent)} %`;
}

/* By how much `value` differs from `base`. */
function formatChange(value, base) {
	if (!Number.isFinite(value) || !Number.isFinite(base) || base === 0)
		return "-";
	const change = value / base - 1;
	if (Math.abs(change) < 5e-4)
		return "same";
	return `${change > 0 ? "+" : "\u2212"}${formatNumber(100 * Math.abs(change))} %`;
}

function formatPlural(count, noun) {
	return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
