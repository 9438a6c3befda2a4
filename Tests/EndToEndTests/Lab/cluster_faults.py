"""What happens to a cluster: nodes and members of etcd end, stop or are cut off, and requests disturb etcd."""

from __future__ import annotations

import contextlib
import random
import signal
from typing import Callable, NamedTuple

from cluster_links import PortCuts
from cluster_stage import Cluster, after


class Fault(NamedTuple):
    """A thing that may happen."""

    name: str
    happen: Callable[[], None]
    # How often it is chosen, beside the others.
    weight: int = 1
    # Whether the owner loses the queue by it.
    takes_owner: bool = False
    # Whether etcd takes nothing for a while, whoever is the owner.
    fills_etcd: bool = False


class Faults:
    """The faults of a cluster whose nodes reach etcd by links."""

    def __init__(self, cluster: Cluster, chance: random.Random, can_hand_over: bool, can_cut_ports: bool) -> None:
        """The faults, with the dice that choose one."""
        self.cluster, self.etcd, self.chance = cluster, cluster.etcd, chance
        self.all = [
            Fault("the owner is killed", self.kill_owner, 3, takes_owner=True),
            Fault("the owner is stopped", self.stop_owner, 2, takes_owner=True),
            Fault("the owner ends", lambda: self.signal_owner(signal.SIGTERM), 2, takes_owner=True),
            Fault("the owner's lease is revoked", self.cluster.revoke, 2, takes_owner=True),
            Fault("the owner is cut off from etcd", lambda: self.cut(self.owner(), self.long()), 1, takes_owner=True),
            Fault("the owner does not hear etcd", lambda: self.cut(self.owner(), self.long(), there=False), 1,
                  takes_owner=True),
            Fault("etcd does not hear the owner", lambda: self.cut(self.owner(), self.long(), back=False), 1,
                  takes_owner=True),
            Fault("etcd refuses the owner", lambda: self.refuse(self.owner(), self.long()), 1, takes_owner=True),
            Fault("the owner is cut off for a moment", lambda: self.cut(self.owner(), self.short()), 3),
            Fault("the owner's connections to etcd break", lambda: self.drop(self.owner()), 3),
            Fault("the owner is cut off from etcd's leader", self.cut_owner_from_leader, 3),
            Fault("a follower is killed", lambda: self.cluster.nodes[self.follower()].kill(), 4),
            Fault("a follower is stopped", lambda: self.cluster.nodes[self.follower()].pause(self.long()), 2),
            Fault("a follower is cut off from etcd", lambda: self.cut(self.follower(), self.long()), 2),
            Fault("a follower does not hear etcd", lambda: self.cut(self.follower(), self.long(), there=False), 2),
            Fault("etcd does not hear a follower", lambda: self.cut(self.follower(), self.long(), back=False), 2),
            Fault("a member is killed", lambda: self.etcd.members[self.member()].kill(), 3),
            Fault("etcd's leader is killed", lambda: self.etcd.members[self.etcd.leader()].kill(), 2),
            Fault("a member is stopped", lambda: self.etcd.members[self.member()].pause(self.short()), 4),
            Fault("the other members do not hear one", self.mute_member, 2),
            Fault("a member is replaced by an empty one", lambda: after(0, self.replace), 1),
            Fault("etcd is compacted", self.etcd.compact, 4),
            Fault("etcd has no room", lambda: self.etcd.run_out_of_room(self.short()), 1, fills_etcd=True),
        ]
        self.ports = PortCuts()
        if can_cut_ports:
            self.all += [
                Fault("the other nodes do not reach the owner", lambda: self.cut_peer(self.long()), 2),
                Fault("the other nodes do not reach the owner for a moment", lambda: self.cut_peer(self.short()), 2),
                Fault("the other nodes do not hear the owner", lambda: self.cut_peer(self.long(), there=False), 1),
                Fault("the owner does not hear the other nodes", lambda: self.cut_peer(self.long(), back=False), 1),
            ]
        if can_hand_over:
            self.all.append(Fault("the owner hands over", self.hand_over, 3, takes_owner=True))

    def choose(self, count: int) -> list[Fault]:
        """Different faults that happen at once."""
        chosen: dict[str, Fault] = {}
        while len(chosen) < min(count, len(self.all)):
            fault = self.chance.choices(self.all, [fault.weight for fault in self.all])[0]
            chosen[fault.name] = fault
        return list(chosen.values())

    def heal(self) -> None:
        """Ends all faults that last."""
        for link in [link for links in self.cluster.links for link in links] + self.etcd.links:
            link.heal()
        self.ports.heal()
        for program in self.cluster.nodes + self.etcd.members:
            program.signal(signal.SIGCONT)

    # Who

    def owner(self) -> int:
        """The owner's node."""
        return self.cluster.owner()

    def follower(self) -> int:
        """A node that is not the owner."""
        return (self.owner() + self.chance.randrange(1, self.cluster.count)) % self.cluster.count

    def member(self) -> int:
        """A member of etcd."""
        return self.chance.randrange(len(self.etcd.members))

    def long(self) -> float:
        """A time that no lease outlives."""
        return self.cluster.lease + 1 + 3 * self.chance.random()

    def short(self) -> float:
        """A time that a lease can outlive."""
        return 2 * self.chance.random()

    # What

    def signal_owner(self, number: int) -> None:
        """Sends a signal to the owner."""
        self.cluster.nodes[self.owner()].signal(number)

    def kill_owner(self) -> None:
        """Kills the owner."""
        self.cluster.nodes[self.owner()].kill()

    def stop_owner(self) -> None:
        """Stops the owner for longer than its lease."""
        self.cluster.nodes[self.owner()].pause(self.long())

    def cut(self, node: int, seconds: float, there: bool = True, back: bool = True) -> None:
        """Cuts the ways from a node to all members."""
        for link in self.cluster.links[node]:
            link.cut(there, back)
            after(seconds, link.heal)

    def refuse(self, node: int, seconds: float) -> None:
        """Has all ways from a node to members refuse connections."""
        for link in self.cluster.links[node]:
            link.refuse()
            after(seconds, link.heal)

    def drop(self, node: int) -> None:
        """Breaks the connections from a node to members."""
        for link in self.cluster.links[node]:
            link.drop()

    def cut_owner_from_leader(self) -> None:
        """Cuts the way from the owner to etcd's leader."""
        link = self.cluster.links[self.owner()][self.etcd.leader()]
        link.cut(*self.chance.choice([(True, True), (True, False), (False, True)]))
        after(self.long(), link.heal)

    def mute_member(self) -> None:
        """Cuts the ways on which others read what a member sends; it still reads what they send."""
        link = self.etcd.links[self.member()]
        link.cut()
        after(1 + self.short(), link.heal)

    def replace(self) -> None:
        """Replaces a member by one without data."""
        self.etcd.replace(self.member())

    def cut_peer(self, seconds: float, there: bool = True, back: bool = True) -> None:
        """Cuts the ways from the other nodes to the owner; etcd hears all of them."""
        port = self.cluster.peers[self.owner()]
        self.ports.cut(port, there, back)
        after(seconds, lambda: self.ports.heal(port))

    def hand_over(self) -> None:
        """Asks for a handover at any node."""
        with contextlib.suppress(OSError, ValueError):
            with self.cluster.connected(self.chance.randrange(self.cluster.count), 2) as connection:
                connection.call("handover")
