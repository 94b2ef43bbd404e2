"""Nodes made of network namespaces, and jobs of Open MPI on them.

As shipio/tests/multinode, with any number of nodes: each has its own network,
host name, IPC and /dev/shm, and one of the machine's cores, which it shares
with other nodes. (Not bound, two processes on a node of two cores would take it
that they have one each, and wait by spinning.) All that is made has the process
id in its name and is removed at the end. Needs root.
"""
import glob
import os
import shutil
import subprocess
import tempfile


def sh(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)


class NoNodes(Exception):
    """This machine lets nobody make network namespaces; the reason."""


class Nodes:
    def __init__(self, count, rate=None):
        self.count, self.rate, self.id = count, rate, os.getpid()
        self.net = f"10.{100 + self.id % 100}.{self.id // 100 % 250}"
        self.bridge = f"pb{self.id}"
        self.work = None

    def name(self, i):
        return f"p{self.id}n{i}"

    def __enter__(self):
        self.work = tempfile.mkdtemp(prefix="pario-scaling-")
        try:
            self.up()
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            reason = getattr(error, "stderr", None) or str(error).encode()
            raise NoNodes(reason.decode(errors="replace").strip()) from error
        except BaseException:
            self.__exit__()
            raise
        return self

    def up(self):
        ns = f"{self.work}/ns"
        os.mkdir(ns)
        sh("mount", "-t", "tmpfs", "-o", "size=4m", "pario-nodes", ns)
        sh("mount", "--make-private", ns)
        sh("ip", "link", "add", self.bridge, "type", "bridge")
        sh("ip", "addr", "add", f"{self.net}.254/24", "dev", self.bridge)
        sh("ip", "link", "set", self.bridge, "up")
        hosts = "127.0.0.1 localhost\n" + f"{self.net}.254 {os.uname().nodename}\n"
        for i in range(1, self.count + 1):
            hosts += f"{self.net}.{i} {self.name(i)}\n"
        with open(f"{ns}/hosts", "w") as file:
            file.write(hosts)
        for i in range(1, self.count + 1):
            self.up_one(i, ns)
        script = f"{self.work}/nodesh"
        with open(script, "w") as file:
            file.write(f"""#!/bin/sh
while case $1 in -*) true ;; *) false ;; esac do shift; done
i=${{1##*n}}
shift
exec nsenter --net=/run/netns/p{self.id}n$i --uts={ns}/$i.uts \\
    --ipc={ns}/$i.ipc --mount={ns}/$i.mnt \\
    taskset -c $((i % {os.cpu_count()})) /bin/sh -c "cd /; $*"
""")
        os.chmod(script, 0o755)

    def up_one(self, i, ns):
        node, link = self.name(i), f"v{self.id}n{i}"
        sh("ip", "netns", "add", node)
        sh("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0",
           "netns", node)
        sh("ip", "link", "set", link, "master", self.bridge, "up")
        sh("ip", "-n", node, "addr", "add", f"{self.net}.{i}/24", "dev", "eth0")
        sh("ip", "-n", node, "link", "set", "eth0", "up")
        sh("ip", "-n", node, "link", "set", "lo", "up")
        if self.rate:
            sh("ip", "netns", "exec", node, "tc", "qdisc", "add", "dev", "eth0",
               "root", "tbf", "rate", self.rate, "burst", "256k", "latency",
               "50ms")
        for kind in ("uts", "ipc", "mnt"):
            open(f"{ns}/{i}.{kind}", "w").close()
        sh("unshare", f"--uts={ns}/{i}.uts", "hostname", node)
        sh("unshare", f"--ipc={ns}/{i}.ipc", "true")
        sh("unshare", f"--mount={ns}/{i}.mnt", "--propagation", "private", "sh",
           "-c", "mount -t tmpfs -o size=512m shm /dev/shm && "
           f"mount --bind {ns}/hosts /etc/hosts")

    def __exit__(self, *_):
        for i in range(1, self.count + 1):
            node = self.name(i)
            pids = subprocess.run(["ip", "netns", "pids", node], text=True,
                                  capture_output=True).stdout.split()
            for pid in pids:  # ranks may outlive mpirun
                try:
                    os.kill(int(pid), 9)
                except ProcessLookupError:
                    pass
            for kind in ("uts", "ipc", "mnt"):
                subprocess.run(["umount", f"{self.work}/ns/{i}.{kind}"],
                               stderr=subprocess.DEVNULL)
            subprocess.run(["ip", "netns", "del", node],
                           stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", self.bridge],
                       stderr=subprocess.DEVNULL)
        subprocess.run(["umount", f"{self.work}/ns"], stderr=subprocess.DEVNULL)
        shutil.rmtree(self.work, ignore_errors=True)

    def job(self, ranks, command, *, options=(), environment=None, limit=300):
        """Runs command on all nodes, ranks in all, in blocks; its output."""
        each = -(-ranks // self.count)
        hosts = ",".join(f"{self.name(i + 1)}:{each}" for i in range(self.count))
        line = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe",
                "--mca", "plm_rsh_agent", f"{self.work}/nodesh",
                "--mca", "btl", "tcp,vader,self",
                "--mca", "mpi_yield_when_idle", "1", "--bind-to", "none",
                "--mca", "btl_tcp_if_include", f"{self.net}.0/24",
                "--mca", "oob_tcp_if_include", f"{self.net}.0/24",
                "--mca", "plm_rsh_num_concurrent", "32",
                "--host", hosts, "-n", str(ranks), *options]
        for key, value in (environment or {}).items():
            line += ["-x", f"{key}={value}"]
        # To a file: ranks that outlive mpirun would keep a pipe open.
        with open(f"{self.work}/out", "w+") as out:
            done = subprocess.run(["timeout", "-k", "5", str(limit)] + line +
                                  list(command), stdout=out,
                                  stderr=subprocess.STDOUT)
            out.seek(0)
            text = out.read()
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode} of {ranks} ranks on "
                               f"{self.count} nodes:\n{text[-2000:]}")
        return text

    def clean(self, pattern):
        for path in glob.glob(f"{self.work}/{pattern}"):
            os.unlink(path)
