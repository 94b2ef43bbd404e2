# The cases of the network benchmark; sourced by cases.sh.
NET="network --output r.json --force --memory 20M"
need_ftp() {
    [ "$CURL" = 1 ] || skip "needs libcurl"
    [ -x /usr/sbin/vsftpd ] || skip "needs vsftpd"
}
network_ftp() {
    need_ftp
    on $TWO $NET --verbose target
    run 0 $command
    json r.json 'abs(s["r_throughput_bytes_per_s"] * s["t_transfer_s"] - s["bytes"]) < 1000'
    schema r.json
    prints 'R_THROUGHPUT'
    json r.json 's["over_loopback"] and s["bytes"] == 16 << 20'
    # Not the paper's ftp command: said beside the figure.
    prints 'sent by +libcurl'
    json r.json 's["client"].startswith("libcurl") and not s["official"]'
    json r.json '"own command" in s["official_lacks"]'
    json r.json 'any("went by libcurl" in w for w in d["warnings"])'
    json r.json 'all(m[0]["evidence"][e].startswith("127.0.0.1 port ") for e in ("local_end", "remote_end"))'
    json r.json 'm[0]["evidence"]["source_digest"] == m[0]["evidence"]["destination_digest"]'
    json r.json 'm[0]["evidence"]["loopback_interface_bytes"] >= 16 << 20'
    no_process_left
    nothing_left
}
network_scp() {
    [ -x /usr/sbin/sshd ] || skip "needs sshd"
    on 1 $NET --via scp target
    run 0 $command
    json r.json 's["over_loopback"] and m[0]["evidence"]["connections"] >= 1'
    json r.json 's["client"].startswith("scp") and not any("libcurl" in w for w in d["warnings"])'
    json r.json '"own command" not in s["official_lacks"]'
    no_process_left
    nothing_left
}
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
network_no_server() {
    on 1 $NET --server /nonexistent/vsftpd target
    run 1 $command
    says '/nonexistent/vsftpd'
    on 1 $NET --server /bin/true target
    run 1 $command
    says 'did not start'
    no_process_left
    nothing_left
}
network_port_taken() {
    need_ftp
    python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True); time.sleep(60)' >port &
    peer=$!
    while [ ! -s port ]; do sleep 0.1; done
    on 1 $NET --port "$(cat port)" target
    run 1 $command
    says 'cannot use port .*in use'
    no_process_left
    nothing_left
}
# A server that answers from a script, with its files in away/: refuses the
# login, or goes away in the middle of the data, once.
fake_ftp() {
    port=$(free_port)
    mkdir away
    python3 - "$port" "$1" <<'PY' &
import os, socket, sys
port, how = int(sys.argv[1]), sys.argv[2]
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", port)); s.listen()
data = socket.socket(); data.bind(("127.0.0.1", 0)); data.listen()
open("up", "w").close()
def talk(c):
    f = c.makefile("rw", newline="\r\n")
    def say(text): f.write(text + "\n"); f.flush()
    say("220 ready")
    for line in f:
        word, _, name = line.strip().partition(" ")
        if word == "USER": say("331 password")
        elif word == "PASS": say("530 no" if how == "refuse" else "230 in")
        elif word == "EPSV": say("229 (|||%d|)" % data.getsockname()[1])
        elif word == "STOR":
            say("150 send")
            d, _ = data.accept()
            with open("away/" + name, "wb") as out: out.write(d.recv(100000))
            open("stored", "w").close()
            d.close(); return
        elif word == "DELE": os.remove("away/" + name); say("250 gone")
        elif word == "QUIT": say("221 bye"); return
        elif word == "PWD": say('257 "/"')
        else: say("200 ok")
while True:
    c, _ = s.accept(); talk(c); c.shutdown(2); c.close()
PY
    peer=$!
    while [ ! -e up ]; do sleep 0.1; done
}
network_login_refused() {
    [ "$CURL" = 1 ] || skip "needs libcurl"
    fake_ftp refuse
    on 1 $NET --host 127.0.0.1 --port $port target
    run 1 $command
    says 'refuses the login'
    nothing_left
}
network_connection_cut() {
    [ "$CURL" = 1 ] || skip "needs libcurl"
    fake_ftp cut
    on 1 $NET --host 127.0.0.1 --port $port target
    run 1 $command
    says 'FTP transfer failed'
    [ -e stored ] || fail "nothing was sent"
    nothing_left away
    nothing_left
}
# The disk fills up between the check and the transfer: the "server" takes the
# space before it starts.
network_disk_full() {
    need_ftp
    [ "$(id -u)" -eq 0 ] || skip "needs root to mount"
    mount -t tmpfs -o size=48m tmpfs target 2>/dev/null || skip "no mount"
    mounted=$work/target
    cat >server <<SERVER
#!/bin/sh
head -c 24M /dev/zero >$work/target/filler
exec /usr/sbin/vsftpd "\$@"
SERVER
    chmod 755 server
    on 1 $NET --server "$work/server" target
    run 1 $command
    says 'No space left on device \(.* free in .*, .* needed\)'
    json r.json 'not d["valid"] and "r_throughput_bytes_per_s" not in s'
    rm target/filler
    no_process_left
    nothing_left
}
# A server of someone else's, found with --host; the file is fetched again.
network_host() {
    need_ftp
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    port=$(free_port)
    mkdir -p "away/in box#1" empty
    chown ftp "away/in box#1" && chmod 555 away
    cat >ftpd.conf <<CONF
listen=YES
listen_address=127.0.0.1
listen_port=$port
background=NO
anonymous_enable=YES
no_anon_password=YES
anon_root=$work/away
write_enable=YES
anon_upload_enable=YES
anon_other_write_enable=YES
anon_umask=022
secure_chroot_dir=$work/empty
seccomp_sandbox=NO
CONF
    /usr/sbin/vsftpd "$work/ftpd.conf" &
    peer=$!
    sleep 0.5
    run 0 "$PARIO" nht $NET --host 127.0.0.1 --port $port \
        --remote-dir "in box#1" target
    json r.json 'not s["official"] and not s["over_loopback"]'
    json r.json 'm[0]["evidence"]["source_digest"] == m[0]["evidence"]["destination_digest"]'
    nothing_left "away/in box#1"
    # By absolute name too; and a fetch that fails leaves nothing there.
    run 0 "$PARIO" nht $NET --host 127.0.0.1 --port $port \
        --remote-dir "/in box#1" target
    nothing_left "away/in box#1"
    run 2 "$PARIO" nht $NET --host 127.0.0.1 --port $port \
        --remote-dir '~/box' target
    says 'cannot begin with ~'
    run 1 env "LD_PRELOAD=$FAULT" \
        'PARIO_FAULT=op=write,nth=3,error=EIO,path=peak.back' \
        "$PARIO" nht $NET --host 127.0.0.1 --port $port \
        --remote-dir "in box#1" target
    says 'cannot read or write the local file'
    nothing_left "away/in box#1"
    nothing_left
}
# An sshd of someone else's with a key for us; scp and sftp are made to use it.
# It serves files through sftp, and cuts a connection when there is a file cut.
other_sshd() {
    [ -x /usr/sbin/sshd ] || skip "needs sshd"
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    port=$(free_port)
    mkdir bin "far away"
    for key in host client; do
        ssh-keygen -q -t ed25519 -N '' -f $key || skip "no ssh-keygen"
    done
    cat >serve <<SERVE
#!/bin/sh
sftp=/usr/lib/openssh/sftp-server
if [ -e $work/cut ]; then rm $work/cut; dd bs=64k count=60 | \$sftp
else exec \$sftp; fi
SERVE
    cat >sshd_config <<CONF
Port $port
ListenAddress 127.0.0.1
ListenAddress ::1
HostKey $work/host
AuthorizedKeysFile $work/client.pub
StrictModes no
UsePAM no
PidFile none
Subsystem sftp $work/serve
CONF
    cat >ssh_config <<CONF
IdentityFile $work/client
IdentitiesOnly yes
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
CONF
    for program in scp sftp; do
        printf '#!/bin/sh\nexec /usr/bin/%s -F %s "$@"\n' \
            $program "$work/ssh_config" >bin/$program
    done
    chmod 755 serve bin/*
    mkdir /run/sshd 2>/dev/null && made=/run/sshd
    /usr/sbin/sshd -D -e -f "$work/sshd_config" 2>sshd.log &
    peer=$!
    sleep 0.5
    PATH=$work/bin:$PATH
}
network_host_scp() {
    other_sshd
    echo mine >"far away/file"
    run 0 "$PARIO" nht $NET --via scp --host 127.0.0.1 --port $port \
        --remote-dir "$work/far away" target
    json r.json 'm[0]["evidence"]["source_digest"] == m[0]["evidence"]["destination_digest"]'
    [ "$(ls "far away")" = file ] || fail "left: $(ls "far away")"
    if ip -6 addr show dev lo 2>/dev/null | grep -q '::1'; then
        run 0 "$PARIO" nht $NET --via scp --host ::1 --user root --port $port \
            --remote-dir "$work/far away" target
    fi
    : >cut
    run 1 "$PARIO" nht $NET --via scp --host 127.0.0.1 --port $port \
        --remote-dir "$work/far away" target
    says 'scp failed'
    [ ! -e cut ] || fail "the connection was not cut"
    [ "$(ls "far away")" = file ] || fail "left: $(ls "far away")"
    run 1 "$PARIO" nht $NET --via scp --host 127.0.0.1 --port $port \
        --remote-dir "$work/nowhere" target
    run 2 "$PARIO" nht $NET --via scp --host -oProxyCommand=x target
    says "host cannot be '-oProxyCommand=x'"
    nothing_left
}
# Names with spaces and percent signs are no trouble for our own sshd, and what
# it needed is gone after a Ctrl-C too.
network_scp_odd_directory() {
    [ -x /usr/sbin/sshd ] || skip "needs sshd"
    mkdir "target/a b%h"
    run 0 "$PARIO" nht $NET --via scp "target/a b%h"
    json r.json 's["over_loopback"]'
    nothing_left "target/a b%h"
    [ ! -e /run/sshd ] || return 0
    "$PARIO" nht network --output r.json --force --memory 500M --via scp \
        target >out 2>err </dev/null &
    pid=$!
    until [ -e /run/sshd ]; do
        kill -0 $pid || fail "no server was started"
        sleep 0.1
    done
    kill -INT $pid
    wait $pid
    for i in $(seq 300); do
        [ -e /run/sshd ] || break
        sleep 0.1
    done
    [ ! -e /run/sshd ] || fail "/run/sshd is left"
    no_process_left
}
network_interrupted() {
    need_ftp
    on 1 network --output r.json --force --memory 800M target
    $command >out 2>err </dev/null &
    pid=$!
    until [ -e "$(echo target/*/ftp0/root/inbox/received)" ]; do
        kill -0 $pid 2>/dev/null || fail "there was no transfer to interrupt"
        sleep 0.05
    done
    kill -KILL $pid || fail "the transfer was over already"
    wait $pid
    no_process_left
    nothing_left
}
