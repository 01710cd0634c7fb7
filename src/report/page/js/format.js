"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as pscal prints them: three digits and a unit, or "unknown". */

/* Formats a count, with thin spaces between groups of three digits. */
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

/* Formats a number that may be a count. */
function formatValue(value) {
	return Number.isInteger(value) ? formatCount(value) : formatNumber(value);
}

const secondUnits = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];

/* Returns the largest unit in which `seconds`, rounded, is at least 1. */
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

/* Formats a time, with as many digits as distinguish a thousandth of `span`. */
function formatInstant(seconds, span, total) {
	const [size, unit] = secondUnit(total);
	const digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span / size))));
	return `${(seconds / size).toFixed(digits)} ${unit}`;
}

/* Formats a share. Below 10 % it has two decimals, as more digits are noise. */
function formatShare(share) {
	if (!Number.isFinite(share))
		return "unknown";
	const percent = 100 * share;
	if (percent !== 0 && Math.abs(percent) < 0.005)
		return "< 0.01 %";
	const small = Math.abs(percent) < 9.995;
	return `${small ? Number(percent.toFixed(2)) : formatNumber(percent)} %`;
}

/* Formats the relative difference of `value` from `base`. */
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
