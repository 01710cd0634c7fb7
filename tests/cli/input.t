# SPDX-License-Identifier: GPL-3.0-or-later
# Inputs that are compressed or read from a pipe.

$ pscal profile --format csv "$DATA/examples/trace.txt" >text.csv
$ gzip -c "$DATA/examples/trace.txt" >text.gz && pscal profile --format csv text.gz | cmp - text.csv
$ zstd -qc "$DATA/examples/trace.txt" >text.zst && pscal profile --format csv text.zst | cmp - text.csv
$ cat text.zst | pscal profile --format csv | cmp - text.csv
$ gzip -c "$DATA/examples/throughput.csv" | pscal fit --format csv | cut -d, -f1-5
file,model,n,alpha,beta
standard input,usl,6,0.024444041421926462,0.0016268092804100794
$ gzip -c "$DATA/examples/profile.csv" | pscal forecast --recorded-cores 8 -n 2 --format csv | cut -d, -f1-3
cores,wall_s,speedup
2,40.0492,1.4050817494481787

# The table at the end of a perf.data file is needed first.
$ pscal profile -q "$DATA/examples/pscal.data" >file.txt
$ cat "$DATA/examples/pscal.data" | pscal profile -q | cmp - file.txt
$ gzip -c "$DATA/examples/pscal.data" >file.gz && pscal profile -q file.gz | cmp - file.txt
$ zstd -qc "$DATA/examples/pscal.data" | pscal profile -q | cmp - file.txt
$ head -c 2000 file.gz | pscal profile
pscal profile: standard input: its gzip data ends too early, after 2000 bytes; 'gzip -dc' unpacks the part that is there
? 1
$ cat "$DATA/examples/pscal.data" | TMPDIR=/nonexistent pscal profile
pscal profile: standard input: cannot be kept in a temporary file in /nonexistent: No such file or directory; set TMPDIR to a directory with room for it
? 1
$ TMPDIR=/nonexistent pscal profile -q "$DATA/examples/pscal.data" | cmp - file.txt

# An input with a damaged header is not decompressed, and one made to fill a disk not to its end.
$ (printf PERFILE2; head -c 1M /dev/zero) | gzip -c | TMPDIR=/nonexistent pscal profile
pscal profile: standard input: has a header of an impossible size
? 1
$ (cat "$DATA/examples/pscal.data"; head -c 80M /dev/zero) | zstd -qc >large.zst; pscal profile large.zst
pscal profile: large.zst: unpacks to more than 100 times its size, and no recording does; if it is one, unpack it first
? 1
$ (cat "$DATA/examples/pscal.data"; head -c 50M /dev/zero) | zstd -qc | pscal profile -q | cmp - file.txt

# A recording in the form of a stream is read as a stream.
$ gzip -c "$DATA/fuzz/perfdata/pscal_stream.data" | TMPDIR=/nonexistent pscal timeline -q | wc -l
10
$ gzip -c "$DATA/fuzz/perfdata/pscal_stream.data" | head -c 1000 | pscal timeline -q
pscal timeline: standard input: its gzip data ends too early, after 1000 bytes; 'gzip -dc' unpacks the part that is there
? 1
$ gzip -c "$DATA/fuzz/perfdata/pscal_stream.data" | head -c 1500 | pscal timeline -q
pscal timeline: standard input: its gzip data ends too early, after 1500 bytes; 'gzip -dc' unpacks the part that is there
? 1

$ xz -c "$DATA/examples/trace.txt" | pscal profile
pscal profile: standard input: is packed by xz, which pscal cannot unpack: pipe in the output of 'xz -dc'
? 1
$ echo 'BZh91AY&SY' | pscal timeline
pscal timeline: standard input: is packed by bzip2, which pscal cannot unpack: pipe in the output of 'bzip2 -dc'
? 1
$ head -c 900 text.gz | pscal profile
pscal profile: standard input: its gzip data ends too early, after 900 bytes; 'gzip -dc' unpacks the part that is there
? 1
$ (cat text.gz; echo more) | pscal profile
pscal profile: standard input: has other data after 1071 bytes of gzip data; 'gzip -dc' unpacks the part before
? 1
$ gzip </dev/null | pscal profile
pscal profile: standard input: is empty
? 1
$ pscal profile - </dev/null
pscal profile: standard input: is empty
? 1
