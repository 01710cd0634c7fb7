# SPDX-License-Identifier: GPL-3.0-or-later
# A calibration, which is kept below XDG_CACHE_HOME. Its values depend on the machine.

$ export XDG_CACHE_HOME=$PWD/cache; pscal forecast --calibrate --format json >shown; stat -c %a cache cache/pscal cache/pscal/calibration.json; ls cache/pscal
700
700
600
calibration.json

$ jq -c 'keys_unsorted, (.calibration[0] | keys_unsorted), .calibration[0].memory_slowdown, .path == "'$PWD'/cache/pscal/calibration.json"' shown
["verdict","calibration","path","buffer_bytes","others_cpus","speed_noise","calibrations","warnings"]
["cores","compute_slowdown","compute_noise","memory_slowdown","memory_noise"]
1
true

$ pscal forecast --calibrate pscal.data
pscal forecast: --calibrate: measures this machine and reads no FILE ('pscal.data')
? 2

$ env -u HOME XDG_CACHE_HOME=relative pscal forecast --calibrate
pscal forecast: the calibration has no directory: set HOME or XDG_CACHE_HOME
? 1

# A calibration that cannot be kept is shown anyway; of one CPU, as it takes less long.

$ XDG_CACHE_HOME=/proc/nothing taskset -c 0 pscal forecast --calibrate --format json -o shown; jq -c '[.path, .calibration[0].cores]' shown
pscal forecast: the calibration: /proc/nothing/pscal/calibration.json: cannot write: No such file or directory; make its directory first
[null,1]
