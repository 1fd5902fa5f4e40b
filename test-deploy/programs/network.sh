#!/bin/sh
# Runs a program, by `unshare --net --mount sh -e network.sh <program>...`, in a network of its own: loopback, a name server
# there that the program has to be (192.0.2.53), and a way out into an interface that counts what is sent and passes nothing on.
# FOLDER is for the file that names the name server.
ip link set lo up
ip addr add 192.0.2.53/32 dev lo
ip link add out type veth peer name nowhere
for name in out nowhere; do echo 1 > /proc/sys/net/ipv6/conf/$name/disable_ipv6; done
ip addr add 192.0.2.1/24 dev out
ip link set out arp off
ip link set out up
ip link set nowhere up
ip route add default via 192.0.2.254 dev out
printf 'nameserver 192.0.2.53\noptions attempts:1 timeout:2\n' > "$FOLDER/resolv.conf"
mount --bind "$FOLDER/resolv.conf" /etc/resolv.conf
exec "$@"
