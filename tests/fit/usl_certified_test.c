/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every published series with every law, with bounds and without, against numbers computed with 50
 * digits: see tests/data/usl/SOURCES.md.
 */
#include "fit/fitting.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_diagnosis.h"
#include "fit/usl/usl_solver.h"
#include "support.h"

#include <math.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* In braces: alpha, beta, gamma; their standard errors. */
static const struct {
	const char *set;
	unsigned free;
	double value[3], error[3], rss, sigma;
	size_t df;
	double aicc, bic, peak_n, peak_throughput;
} certified[] = {
	/* clang-format off */
	{"raytracer", USL_P | USL_Q | USL_R, {0.0781478486023830, -0.000201121286307574, 24.7661741210868}, {0.0134050156535011, 0.000119994775921074, 2.15705677262221}, 484.017674602895, 7.77831661256868, 8, 87.5098020585, 82.4347164830, NAN, NAN},
	{"raytracer", USL_P | USL_Q, {0.0577707807395694, 0, 21.8488428656822}, {0.00525797884149003, NAN, 1.25777867896867}, 697.237799748922, 8.80175361156907, 9, 86.2867629738, 84.0518773636, NAN, NAN},
	{"raytracer", USL_P | USL_R, {0, 0.000430243609001943, 12.0499510906404}, {NAN, 8.43514693724216e-5, 0.896837251897851}, 5874.12486822147, 25.5476132136350, 9, 109.729807221, 107.494921611, 48.2106277054681, 293.511911128625},
	{"raytracer", USL_P, {0, 0, 6.57340920848422}, {NAN, NAN, 0.718264896199928}, 49862.1661665804, 70.6131476189671, 10, 129.326995542, 128.622786088, NAN, NAN},
	{"raytracer6", USL_P | USL_Q | USL_R, {0.0244440414219265, 0.00162680928041008, 20.8560453029821}, {0.00839065569044386, 0.000261398494832356, 0.788506324409043}, 10.0918818394663, 1.83411030561289, 3, 68.1470935173, 27.3141313942, 24.4882512407058, 203.488182663821},
	{"raytracer6", USL_P | USL_Q, {0.0738894312801699, 0, 24.7059946040255}, {0.00963644773555437, NAN, 1.60148854621757}, 109.339963330455, 5.22828756215778, 4, 52.4434773317, 39.8187557393, NAN, NAN},
	{"raytracer6", USL_P | USL_R, {0, 0.00232889170918217, 18.6651880457513}, {NAN, 0.000157244353327584, 0.434011809748908}, 43.0253029265451, 3.27968378531167, 4, 46.8474358798, 34.2227142875, 20.7216986028086, 198.168875998924},
	{"raytracer6", USL_P, {0, 0, 11.8637911464245}, {NAN, NAN, 0.997574235764805}, 4383.65493757094, 29.6096434884682, 5, 64.5905342793, 60.1740532178, NAN, NAN},
	{"specsdm91", USL_P | USL_Q | USL_R, {0.0277284756186344, 0.000104365483844091, 89.9952331043322}, {0.00912173180821540, 1.98752709072685e-5, 14.2134894225851}, 27453.7195840374, 82.8458200273819, 4, 105.785567014, 85.5692076098, 96.5195609666094, 1883.89899600996},
	{"specsdm91", USL_P | USL_Q, {0.0736481626110305, 0, 146.210551738561}, {0.0256522760445186, NAN, 43.4279272965638}, 131265.389036194, 162.028015501144, 5, 102.738603385, 94.5763338323, NAN, NAN},
	{"specsdm91", USL_P | USL_R, {0, 0.000142721626565489, 49.1608043835953}, {NAN, 3.00264346715601e-5, 6.06306960222739}, 210090.068959648, 204.982959759902, 5, 106.030809744, 97.8685401915, 83.7057142813577, 2069.88417819255},
	{"specsdm91", USL_P, {0, 0, 12.0159828094245}, {NAN, NAN, 2.84058974154346}, 4156848.73679063, 832.350961312857, 6, 119.925643231, 116.817463529, NAN, NAN},
	{"seed_table4", USL_P | USL_Q | USL_R, {-0.00200765232510549, 1.13282049903346e-5, 1.00074533631865}, {0.000484453267562215, 8.23504349405316e-7, 0.0610475698269195}, 109.495319027583, 3.69958306819132, 8, 71.1611661935, 66.0860806180, 297.409590845290, 212.055873408467},
	{"seed_table4", USL_P | USL_Q, {0.00442728514008559, 0, 1.64647437464710}, {0.00106703738225984, NAN, 0.205854527699352}, 1228.42138002071, 11.6829475923992, 9, 92.5167082833, 90.2818226732, NAN, NAN},
	{"seed_table4", USL_P | USL_R, {0, 8.34755294999217e-6, 1.23315907913436}, {NAN, 7.21836695040652e-7, 0.0387583452264169}, 274.675918537885, 5.52444988249595, 9, 76.0398823297, 73.8049967195, 346.114990028183, 213.716156960395},
	{"seed_table4", USL_P, {0, 0, 0.753994001442619}, {NAN, NAN, 0.0500274324630218}, 8778.39960337904, 29.6283641184913, 10, 110.220343047, 109.516133593, NAN, NAN},
	{"cisco", USL_P | USL_Q | USL_R, {0.0267159450357254, 0.000769093920610459, 995.648785929053}, {0.00449382815544081, 8.64544645266880e-5, 28.6983655527165}, 1023849.52466983, 187.896663150514, 29, 432.240562724, 436.622024854, 35.5737882009527, 12342.8525538396},
	{"cisco", USL_P | USL_Q, {0.0643669652070196, 0, 1199.49599551328}, {0.00341165407180996, NAN, 35.5643235827395}, 3147526.93051153, 323.909808975252, 30, 465.553743325, 469.093808177, NAN, NAN},
	{"cisco", USL_P | USL_R, {0, 0.00123781182270109, 830.919955682913}, {NAN, 4.70152283750312e-5, 11.8826506977209}, 2694461.31322309, 299.692137213235, 30, 460.580343567, 464.120408418, 28.4231813989508, 12020.1439721924},
	{"cisco", USL_P, {0, 0, 494.142250874126}, {NAN, NAN, 19.0334149174381}, 128475746.095840, 2035.77476807171, 31, 581.802332680, 584.320011382, NAN, NAN},
	{"cisco10", USL_P | USL_Q | USL_R, {0.0170027667196477, 0.000446539172027019, 938.379271968738}, {0.00692637628943374, 0.000517558742577239, 15.7927038339732}, 10043.1554815775, 37.8779156946130, 7, 113.499386083, 106.709726455, 46.9187427770419, 16052.1024288775},
	{"cisco10", USL_P | USL_Q, {0.0228577387122867, 0, 950.127984346042}, {0.00140781401679526, NAN, 7.97418639096150}, 11078.9422459924, 37.2138116933626, 8, 108.480934640, 105.388689919, NAN, NAN},
	{"cisco10", USL_P | USL_R, {0, 0.00168769821972592, 901.669573347697}, {NAN, 0.000132791180751682, 6.57716950547815}, 19027.3690489576, 48.7690591576227, 8, 113.889256713, 110.797011992, 24.3417951832558, 11204.2727898487},
	{"cisco10", USL_P, {0, 0, 822.739064935065}, {NAN, NAN, 11.5342458233652}, 460979.534563377, 226.318245585325, 9, 141.478294723, 140.369179194, NAN, NAN},
	{"codahale_example", USL_P | USL_Q | USL_R, {0.0277289077855980, 0.000104348010787400, 89.9871474337184}, {0.00909837476640056, 1.98239733520398e-5, 14.1759502203120}, 27310.0814784359, 82.6288107720846, 4, 105.748846807, 85.5324874032, 96.5276202675049, 1883.77868910712},
	{"codahale_example", USL_P | USL_Q, {0.0736479741532655, 0, 146.201400269012}, {0.0256360365036703, NAN, 43.3978179361302}, 131084.249413152, 161.916181657765, 5, 102.728937067, 94.5666675140, NAN, NAN},
	{"codahale_example", USL_P | USL_R, {0, 0.000142691807122496, 49.1523149353797}, {NAN, 3.00108366061796e-5, 6.05995719166051}, 209919.338622260, 204.899652816817, 5, 106.025118860, 97.8628493074, 83.7144601492316, 2069.74166747871},
	{"codahale_example", USL_P, {0, 0, 12.0152921582558}, {NAN, NAN, 2.84033661152737}, 4156107.92139621, 832.276789034775, 6, 119.924395611, 116.816215909, NAN, NAN},
	/* clang-format on */
};

/* NAN: none. */
static void assert_certified(double got, double want)
{
	if (isnan(want))
		assert_true(isnan(got));
	else
		assert_close(got, want, 1e-12);
}

static enum usl_model model_of(unsigned free)
{
	return free == USL_P ? USL_LINEAR : free == (USL_P | USL_Q) ? USL_AMDAHL : USL_FULL;
}

/* alpha = 0 is no law of its own, but a face of the region, at which each fit looks. */
static struct usl solve(const struct series *series, unsigned free)
{
	struct usl_scaled_fit fit;
	struct usl_scaled scaled;
	struct usl usl = {.n = series->count};
	double errors[USL_COEFFICIENTS];

	usl_scaled_init(&scaled, series, 0);
	assert_int_equal(usl_solver_fit(&fit, &scaled, free), 0);
	usl.df = usl.n - (size_t)__builtin_popcount(free);
	usl.alpha = usl_scaled_alpha(&scaled, &fit);
	usl.beta = usl_scaled_beta(&scaled, &fit);
	usl.gamma = usl_scaled_gamma(&scaled, &fit);
	usl.rss = (double)(fit.rss * scaled.units.x * scaled.units.x);
	usl_scaled_errors(errors, &scaled, &fit, usl.df);
	usl.gamma_se = errors[0];
	usl.alpha_se = errors[1];
	usl.beta_se = errors[2];
	usl_scaled_release(&scaled);
	return usl;
}

static void each_law_meets_the_certified_optimum_to_12_digits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(certified); i++) {
		const struct usl_form form = {model_of(certified[i].free), .unbounded = true};
		struct series series = fitting_read(certified[i].set);
		struct usl usl = certified[i].free == (USL_P | USL_R)
					 ? solve(&series, certified[i].free)
					 : fitting_fit_form(&series, &form);

		assert_certified(usl.alpha, certified[i].value[0]);
		assert_certified(usl.beta, certified[i].value[1]);
		assert_certified(usl.gamma, certified[i].value[2]);
		assert_certified(usl.alpha_se, certified[i].error[0]);
		assert_certified(usl.beta_se, certified[i].error[1]);
		assert_certified(usl.gamma_se, certified[i].error[2]);
		assert_certified(usl.rss, certified[i].rss);
		assert_certified(sqrt(usl.rss / (double)usl.df), certified[i].sigma);
		assert_int_equal(usl.df, certified[i].df);
		assert_certified(usl_peak_n(&usl), certified[i].peak_n);
		assert_certified(usl_peak_throughput(&usl), certified[i].peak_throughput);
		series_release(&series);
	}
}

static void each_law_meets_the_certified_criteria_to_11_digits(void **state)
{
	const struct usl_form form = {.unbounded = true};

	(void)state;
	for (size_t i = 0; i < COUNT(certified); i++) {
		struct series series = fitting_read(certified[i].set);
		struct usl_choice choice;
		const struct usl_candidate *candidate =
			&choice.candidates[model_of(certified[i].free)];

		usl_choose(&choice, &series, &form, NULL);
		if (certified[i].free != (USL_P | USL_R)) {
			assert_close(candidate->aicc, certified[i].aicc, 1e-11);
			assert_close(candidate->bic, certified[i].bic, 1e-11);
		}
		series_release(&series);
	}
}

/* NIST StRD: y = b1 b2 x / (1 + b2 x), which has b2 = alpha / (1 - alpha), b1 = gamma / alpha. */
static void misra1d_meets_the_values_of_nist_to_10_digits(void **state)
{
	struct series series = fitting_read("misra1d");
	struct usl usl = fitting_fit(&series, USL_AMDAHL);

	(void)state;
	assert_close(usl.gamma / usl.alpha, 4.3736970754e2, 1e-10);
	assert_close(usl.alpha / (1 - usl.alpha), 3.0227324449e-4, 1e-10);
	assert_close(usl.alpha_se / pow(1 - usl.alpha, 2), 2.9334354479e-6, 1e-10);
	assert_close(usl.rss, 5.6419295283e-2, 1e-10);
	assert_close(sqrt(usl.rss / (double)usl.df), 6.8568272111e-2, 1e-10);
	assert_int_equal(usl.df, 12);
	series_release(&series);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_law_meets_the_certified_optimum_to_12_digits),
	cmocka_unit_test(each_law_meets_the_certified_criteria_to_11_digits),
	cmocka_unit_test(misra1d_meets_the_values_of_nist_to_10_digits),
};

TEST_FILE(tests);
