# SPDX-License-Identifier: GPL-3.0-or-later
# Gives the tasks of fit_speed to R: the same law by nls(), its profile-based intervals by confint()
# of MASS, and the package usl, if installed.
#
#	Rscript fit_nls.R report FILE...	one fit and its intervals, as a user gets them
#	Rscript fit_nls.R time FILE REFITS	prints "value MEASURE READER SECONDS", of CPU time
#	Rscript fit_nls.R numbers FILE...	prints "FILE FORM alpha beta gamma rss [6 ends of intervals]"
#
# FORM is free, or bounded: alpha, beta >= 0. There is no line for a set on which nls() fails.

law <- x ~ gamma * n / (1 + alpha * (n - 1) + beta * n * (n - 1))

# With analytic derivatives, so that it converges to the last digits.
exact_curve <- deriv(law[[3]], c("alpha", "beta", "gamma"), function(n, alpha, beta, gamma) NULL)
exact_law <- x ~ exact_curve(n, alpha, beta, gamma)
exact <- function(tol) nls.control(maxiter = 500, tol = tol, minFactor = 1e-12)

read_series <- function(file) {
	d <- read.csv(file)
	names(d)[1:2] <- c("n", "x")
	d
}

# n / x is a polynomial in the parameters.
start_of <- function(d) {
	b <- coef(lm(I(n / x) ~ I(n - 1) + I(n * (n - 1)), d))
	list(alpha = b[[2]] / b[[1]], beta = b[[3]] / b[[1]], gamma = 1 / b[[1]])
}

fit_free <- function(d) nls(law, d, start_of(d))

# Fits with the smallest tolerance with which `what` succeeds.
most_exactly <- function(d, what) {
	for (tol in 10^(-10:-5)) {
		got <- try(what(nls(exact_law, d, start_of(d), exact(tol))), silent = TRUE)
		if (!inherits(got, "try-error")) break
	}
	got
}

fit_bounded <- function(d) {
	s <- start_of(d)
	s$alpha <- max(s$alpha, 1e-4)
	s$beta <- max(s$beta, 1e-6)
	nls(exact_law, d, s, exact(1e-10), "port", lower = c(0, 0, 0))
}

ends_of <- function(fit) {
	suppressPackageStartupMessages(library(MASS))
	as.vector(t(suppressMessages(confint(fit))))
}

print_numbers <- function(file) {
	d <- read_series(file)
	for (form in c("free", "bounded")) {
		fit <- try(if (form == "free") most_exactly(d, identity) else fit_bounded(d), silent = TRUE)
		if (inherits(fit, "try-error")) next
		ends <- if (form == "free") most_exactly(d, ends_of)
		if (!is.numeric(ends)) ends <- numeric()
		ends[is.na(ends)] <- Inf
		cat(file, form, sprintf("%.15g", c(coef(fit), deviance(fit), ends)), "\n")
	}
}

# The CPU time in s of one of `count` runs.
of_one <- function(count, run) {
	begin <- proc.time()
	for (i in seq_len(count)) run()
	spent <- proc.time() - begin
	(spent[["user.self"]] + spent[["sys.self"]]) / count
}

value <- function(measure, reader, seconds) cat("value", measure, reader, seconds, "\n")

time_with <- function(reader, fit, d, refits) {
	best <- fit(d)
	middle <- fitted(best)
	left <- residuals(best)
	failed <- 0
	again <- function() {
		d$x <- pmax(middle + sample(left, replace = TRUE), 1e-9)
		failed <<- failed + inherits(try(fit(d), silent = TRUE), "try-error")
	}
	value("fit_one", reader, of_one(100, function() fit(d)))
	value("fit_refits", reader, refits * of_one(refits, again))
	value("fit_failed", reader, failed)
}

time_usl <- function(d, refits) {
	if (!requireNamespace("usl", quietly = TRUE)) return(invisible())
	time_with("usl", function(d) usl::usl(x ~ n, d), d, refits)
}

words <- commandArgs(trailingOnly = TRUE)
if (words[1] == "report") {
	for (file in words[-1]) {
		fit <- fit_free(read_series(file))
		print(summary(fit))
		print(ends_of(fit))
	}
} else if (words[1] == "time") {
	d <- read_series(words[2])
	time_with("nls", fit_free, d, as.integer(words[3]))
	fit <- fit_free(d)
	value("fit_ends", "nls", of_one(10, function() ends_of(fit)))
	time_usl(d, as.integer(words[3]))
} else {
	for (file in words[-1]) print_numbers(file)
}
