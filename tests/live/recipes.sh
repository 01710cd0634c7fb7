#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the steps of doc/recipes.md: those of shells unchanged, those of CI from their YAML; units
# and Dockerfile are verified with their own tools as far as these can.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
# shellcheck source=/dev/null
. "${0%/*}/slurm-lib"
page=$(cd "${0%/*}/../.." && pwd)/doc/recipes.md
PATH=${PSCAL%/*}:$PATH
export PATH

# block SECTION KIND [N]: prints the Nth fenced block of this kind in the section.
block()
{
	awk -v section="## $1" -v fence="\`\`\`$2" -v wanted="${3:-1}" '
	/^## / { inside = $0 == section }
	!inside { next }
	/^```$/ && taking { exit }
	taking { print }
	$0 == fence && ++seen == wanted { taking = 1 }' "$page" >block
	[ -s block ] || fail "doc/recipes.md has no $2 under '$1'"
	cat block
}

# Each step exits with 0.
steps()
{
	block "$1" sh >steps
	sh -eu steps >printed 2>&1 || fail "$1: $(cat printed)"
}

end_all()
{
	[ -z "$server" ] || kill "$server" 2>/dev/null
	[ ! -e nginx.pid ] || kill "$(cat nginx.pid)"
	[ ! -e pg/data/postmaster.pid ] || as_user pg_ctl -D "$PWD/pg/data" -m immediate -w stop >/dev/null 2>&1
	slurm_end
}
server=
missing=
slurm_begin
trap end_all EXIT
trap 'exit 1' HUP INT TERM

# --- A gate in CI: a program that scales passes, another one fails with status 3 ----------------------

# shellcheck disable=SC2016 # for perl
counting='perl -e "for (1 .. 6000000) { \$s += \$_ }"'
# shellcheck disable=SC2016 # the $ is for the script
printf '#!/bin/sh\nfor i in $(seq ${1:-4}); do %s & done\nwait\n' "$counting" >scales
printf '#!/bin/sh\n%s\n%s\n' "$counting" "$counting" >serial
chmod 755 scales serial
block 'A gate in CI' yaml 1 | sed -n '/run: |/,/- uses/p' | sed -n 's/^          //p' | sed 's/^sudo //' >github
block 'A gate in CI' yaml 2 | sed -n 's/^    - //p' >gitlab
for ci in github gitlab; do
	[ "$(grep -c '^pscal' $ci)" -eq 2 ] || fail "$ci: not two steps: $(cat $ci)"
	ln -sf scales bench
	sh -eu $ci >printed 2>&1 || fail "$ci: $(cat printed)"
	ln -sf serial bench
	expect 3 sh -eu $ci >printed 2>&1
done
ln -sf scales bench

# --- A sweep as a Slurm array ------------------------------------------------------------------------

steps 'A sweep as a Slurm array'
[ "$(grep -c '^[0-9]' sweep.csv)" -eq 4 ] || fail "not four runs: $(cat sweep.csv)"

# --- A recording every hour ------------------------------------------------------------------------

steps 'A recording of a service every hour'
for groups in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ -e $groups/cgroup.procs ] && group=$groups/pscal-recipes-$$
done
if [ -n "${group-}" ] && mkdir "$group" 2>/dev/null; then
	mkdir kept
	touch -d '8 days ago' kept/old.data
	sh -c "echo \$\$ >$group/cgroup.procs; while :; do :; done" &
	server=$!
	wait_for 60 grep -qx "$server" "$group/cgroup.procs"
	expect 0 ./record-service "${group#/sys/fs/cgroup/}" kept 300ms
	# The unit leaves these rights to the service.
	rights=$(block 'A recording of a service every hour' service | sed -n 's/^CapabilityBoundingSet=//p' |
		tr '[:upper:]' '[:lower:]' | sed 's/cap_/+/g; s/ /,/g')
	expect 0 setpriv --bounding-set="-all,$rights" --inh-caps=-all \
		./record-service "${group#/sys/fs/cgroup/}" bounded 300ms
	[ "$(fact bounded/*.data collector)" = "$(fact kept/*.data collector)" ] ||
		fail "with the rights of the unit the collector is $(fact bounded/*.data collector)"
	kill "$server"
	wait "$server" 2>/dev/null
	rmdir "$group"
	[ ! -e kept/old.data ] || fail 'an old recording is kept'
	[ "$("$PSCAL" profile -f --format json kept/*.data | jq '.threads | length')" -ge 1 ] ||
		fail 'the recording lacks the service'
else
	missing="$missing cgroup"
fi
script=/usr/local/sbin/record-service
block 'A recording of a service every hour' cron | awk -v script=$script '
	NR == 1 { if (!/^PATH=.*\/usr\/local\/bin/) exit 1; next }
	NF != 9 || $6 != "root" || $7 != script { exit 1 }' || fail 'the line of cron is wrong'
if command -v systemd-analyze >/dev/null; then
	mkdir units
	for kind in service timer; do
		block 'A recording of a service every hour' $kind >units/pscal-record@.$kind
	done
	sed -i "s|$script|$PWD/record-service|" units/pscal-record@.service
	cp units/pscal-record@.service units/pscal-record@nginx.service
	cp units/pscal-record@.timer units/pscal-record@nginx.timer
	SYSTEMD_UNIT_PATH=$PWD/units: systemd-analyze verify --man=no units/pscal-record@nginx.timer \
		units/pscal-record@nginx.service >verified 2>&1 || fail "units: $(cat verified)"
	! grep -q pscal-record verified || fail "units: $(cat verified)"
else
	missing="$missing systemd-analyze"
fi

# --- A container image: tests/deb/run tries its RUN step --------------------------------------------

block 'A container image' dockerfile | grep -q '^RUN apt-get update' || fail 'no RUN step'

# --- Servers ----------------------------------------------------------------------------------------

if command -v javac >/dev/null; then
	cat >Spin.java <<-'END'
	class Spin {
		public static void main(String[] args) throws Exception {
			java.util.concurrent.ExecutorService pool = java.util.concurrent.Executors.newFixedThreadPool(2);
			for (int i = 0; i < 2; i++)
				pool.submit(() -> { for (long end = System.nanoTime() + 30_000_000_000L; System.nanoTime() < end;) new byte[1000].hashCode(); });
			System.out.println("begun");
		}
	}
	END
	expect 0 javac Spin.java
	java -Xmx64m -cp . Spin >begun &
	server=$!
	wait_for 60 grep -q begun begun
	steps 'Attach to a JVM' # the newest JVM of the machine is that of the test
	grep -q 'pool-1-thread-' printed || fail "the JVM's threads have no names: $(cat printed)"
	kill "$server"
	wait "$server" 2>/dev/null
	server=
else
	missing="$missing javac"
fi

for bin in /usr/lib/postgresql/*/bin; do
	[ -x "$bin/initdb" ] && PATH=$bin:$PATH
done
if command -v initdb >/dev/null && [ "$(id -u)" -eq 0 ]; then
	chmod 755 .
	mkdir pg && chmod 777 pg
	as_user()
	{
		setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$PWD/pg" PATH="$PATH" "$@"
	}
	as_user initdb -D "$PWD/pg/data" -U pscal -A trust --no-sync >initdb.out 2>&1 || fail "$(cat initdb.out)"
	as_user pg_ctl -D "$PWD/pg/data" -w -t 60 -l "$PWD/pg/log" \
		-o "-k $PWD/pg -c listen_addresses= -c fsync=off" start >start.out 2>&1 || fail "$(cat start.out pg/log)"
	export PGDATA="$PWD/pg/data"
	as_user psql -h "$PWD/pg" -U pscal postgres -c 'SELECT sum(i) FROM generate_series(1, 20000000) AS i' >answer 2>&1 &
	steps 'Attach to PostgreSQL'
	grep -q postgres printed || fail "no process of PostgreSQL: $(cat printed)"
else
	missing="$missing postgresql"
fi

if command -v nginx >/dev/null; then
	mkdir www && echo hello >www/index.html
	port=$((20000 + $$ % 20000))
	export NGINX_PID="$PWD/nginx.pid"
	cat >nginx.conf <<-END
	pid $NGINX_PID; error_log $PWD/nginx.log; worker_processes 2;
	events { worker_connections 64; }
	http { access_log off; client_body_temp_path $PWD; proxy_temp_path $PWD; fastcgi_temp_path $PWD;
		uwsgi_temp_path $PWD; scgi_temp_path $PWD;
		server { listen 127.0.0.1:$port; root $PWD/www; } }
	END
	nginx -c "$PWD/nginx.conf" || fail "nginx does not start"
	for _ in $(seq 100); do
		curl -s "http://127.0.0.1:$port/"
		sleep 0.03
	done >/dev/null 2>&1 &
	steps 'Attach to nginx'
	grep -q nginx printed || fail "no process of nginx: $(cat printed)"
else
	missing="$missing nginx"
fi
[ -z "$missing" ] || {
	echo "not installed:$missing; all other recipes passed"
	exit 77
}
