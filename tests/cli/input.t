# SPDX-License-Identifier: GPL-3.0-or-later
# Inputs that are packed or come through a pipe.

$ pscal profile --format csv "$DATA/examples/trace.txt" >text.csv
$ gzip -c "$DATA/examples/trace.txt" >text.gz && pscal profile --format csv text.gz | cmp - text.csv
$ zstd -qc "$DATA/examples/trace.txt" >text.zst && pscal profile --format csv text.zst | cmp - text.csv
$ cat text.zst | pscal profile --format csv | cmp - text.csv
$ gzip -c "$DATA/examples/throughput.csv" | pscal fit --format csv | cut -d, -f1-5
file,model,n,alpha,beta
standard input,usl,6,0.024444041421926462,0.0016268092804100794
$ gzip -c "$DATA/examples/profile.csv" | pscal forecast --cores 8 -k 2 --format csv | cut -d, -f1-3
cores,wall_s,speedup
2,40.049199999999999,1.4050817494481787

$ xz -c "$DATA/examples/trace.txt" | pscal profile
pscal profile: standard input: is packed by xz, which is not unpacked here: pipe in what 'xz -dc' prints
? 1
$ echo 'BZh91AY&SY' | pscal timeline
pscal timeline: standard input: is packed by bzip2, which is not unpacked here: pipe in what 'bzip2 -dc' prints
? 1
$ head -c 900 text.gz | pscal profile
pscal profile: standard input: its gzip data ends too early, after 900 bytes; 'gzip -dc' unpacks what there is
? 1
$ (cat text.gz; echo more) | pscal profile
pscal profile: standard input: goes on after 1071 bytes of gzip data with something else; 'gzip -dc' unpacks what is before
? 1
$ gzip </dev/null | pscal profile
pscal profile: standard input: is empty
? 1
$ pscal profile - </dev/null
pscal profile: standard input: is empty
? 1
