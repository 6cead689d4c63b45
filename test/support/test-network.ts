import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const namespaceFolder = '/run/netns'

/** The reason why a test can't have its own network here, or false. */
export const absenceOfNetworks =
  (!isRoot && 'only root may create a network namespace (Linux)') ||
  (!existsSync('/usr/bin/ip') && "needs Debian's package iproute2")

/** All names begin with this and the id of the process that made them. Interface names have at most 15 characters. */
const prefix = 'bucket'
const own = nameOf(process.pid)
const device = 'lan'
const prefixLength = 24
/** The last number of the addresses of the servers, and of the first host. The clients' is 1. */
const serverNumbers = [2, 3, 4] as const
const firstHostNumber = 11
/** An address that no network card has. */
const nowhere = '02:00:00:00:00:01'

/** What a host that is cut off notices: no replies, or an error that the servers are unreachable. */
export type Cut = 'silent' | 'unreachable'

/** Hosts with a network namespace each, and servers on this one, joined by a bridge. */
export class TestNetwork {
  readonly #net: string
  readonly hosts: readonly TestHost[]

  private constructor(net: string, hosts: readonly TestHost[]) {
    this.#net = net
    this.hosts = hosts
  }

  /** Call `remove` at the end. Also removes networks of test processes that were killed. */
  static make(hosts: number): TestNetwork {
    for (const pid of formerOwners()) removeAllOf(nameOf(pid))
    const net = freeNet()
    const addresses = [1, ...serverNumbers].map((number) => `${net}.${number}`)
    try {
      batch(
        [],
        [
          `link add ${own} type bridge forward_delay 0`,
          ...addresses.map((address) => `addr add ${address}/${prefixLength} dev ${own}`),
          `link set ${own} up`,
        ],
      )
      const made = Array.from({ length: hosts }, (_, index) => makeHost(net, index))
      return new TestNetwork(net, made)
    } catch (error) {
      removeAllOf(own)
      throw error
    }
  }

  /** Addresses of this host that no client uses, one for each server. */
  get servers(): readonly [string, string, string] {
    return serversOf(this.#net)
  }

  /** After the processes in it have ended. */
  remove(): void {
    removeAllOf(own)
  }
}

/** A host of a TestNetwork. It reaches only the servers, and the clients of this host reach it. */
export class TestHost {
  readonly address: string
  /** A file for nsenter(1). */
  readonly namespace: string
  readonly #name: string
  readonly #servers: readonly string[]

  constructor(name: string, address: string, servers: readonly string[]) {
    this.address = address
    this.namespace = `${namespaceFolder}/${name}`
    this.#name = name
    this.#servers = servers
  }

  /** Its packets reach none of these servers until `join`. Its clients still reach it. */
  async cutOff(cut: Cut, servers = this.#servers): Promise<void> {
    for (const server of servers) await this.#ip(...cutting(cut, 'replace', server))
  }

  async join(cut: Cut, servers = this.#servers): Promise<void> {
    for (const server of servers) await this.#ip(...cutting(cut, 'del', server))
  }

  /** Disconnects the host, as if its cable were pulled out, until `plugIn`. */
  async unplug(): Promise<void> {
    await run('ip', ['link', 'set', this.#name, 'down'])
  }

  async plugIn(): Promise<void> {
    await run('ip', ['link', 'set', this.#name, 'up'])
  }

  async #ip(...words: readonly string[]): Promise<void> {
    await run('ip', ['-n', this.#name, ...words])
  }
}

function cutting(cut: Cut, change: 'replace' | 'del', server: string): string[] {
  if (cut === 'unreachable') return ['route', change, 'unreachable', `${server}/32`]
  const permanent = ['lladdr', nowhere, 'nud', 'permanent']
  return ['neigh', change, server, ...(change === 'del' ? [] : permanent), 'dev', device]
}

function makeHost(net: string, index: number): TestHost {
  // The namespace, and the end of its cable in the bridge.
  const name = `${own}${String.fromCharCode('a'.charCodeAt(0) + index)}`
  const address = `${net}.${firstHostNumber + index}`
  batch(
    [],
    [
      `netns add ${name}`,
      `link add ${name} type veth peer name ${device} netns ${name}`,
      `link set ${name} master ${own} up`,
    ],
  )
  batch(
    ['-n', name],
    [
      'link set lo up',
      `addr add ${address}/${prefixLength} dev ${device}`,
      `link set ${device} up`,
    ],
  )
  return new TestHost(name, address, serversOf(net))
}

function serversOf(net: string): [string, string, string] {
  const [first, second, third] = serverNumbers
  return [`${net}.${first}`, `${net}.${second}`, `${net}.${third}`]
}

/** The first three numbers of private addresses to which this host has no route but its default one. */
function freeNet(): string {
  const routes = ['address', 'route show table all'].map((what) =>
    execFileSync('ip', ['-4', '-oneline', ...what.split(' ')], { encoding: 'utf8' }),
  )
  const used = [...routes.join('\n').matchAll(/\b(\d+\.\d+\.\d+\.\d+)(?:\/(\d+))?/g)]
  const isFree = (net: string) =>
    used.every(([, address = '', length = '32']) => {
      const bits = Math.min(Number(length), prefixLength)
      return bits === 0 || bitsOf(address, bits) !== bitsOf(`${net}.0`, bits)
    })
  // Two processes that start at the same moment try different addresses.
  const numbers = Array.from({ length: 256 }, (_, index) => (index + process.pid) % 256)
  const nets = ['10.213', '172.29', '192.168'].flatMap((begin) =>
    numbers.map((number) => `${begin}.${number}`),
  )
  const free = nets.find(isFree)
  if (free === undefined) throw new Error('this host uses all private addresses')
  return free
}

function bitsOf(address: string, bits: number): string {
  const numbers = address.split('.').map((number) => Number(number).toString(2).padStart(8, '0'))
  return numbers.join('').slice(0, bits)
}

/** The ids of ended processes that made a network, and of this process, which may have the id of an ended one. */
function formerOwners(): number[] {
  const pids = names().flatMap((name) => {
    const [, pid] = new RegExp(`^${prefix}(\\d+)`).exec(name) ?? []
    return pid === undefined ? [] : [Number(pid)]
  })
  return [...new Set(pids)].filter((pid) => pid === process.pid || !existsSync(`/proc/${pid}`))
}

function removeAllOf(owner: string): void {
  const pattern = new RegExp(`^${owner}[a-z]?$`)
  const isOwn = (name: string) => pattern.test(name)
  // The cables first: processes that still run keep a namespace without a name.
  for (const link of links().filter(isOwn)) removeOne('link', link, links)
  for (const namespace of namespaces().filter(isOwn)) removeOne('netns', namespace, namespaces)
}

/** Another test file may remove it at the same time. */
function removeOne(kind: 'link' | 'netns', name: string, present: () => readonly string[]): void {
  try {
    batch([], [`${kind} del ${name}`])
  } catch (error) {
    if (present().includes(name)) throw error
  }
}

function nameOf(pid: number): string {
  return `${prefix}${pid}`
}

function names(): string[] {
  return [...links(), ...namespaces()]
}

function links(): string[] {
  return readdirSync('/sys/class/net')
}

function namespaces(): string[] {
  return existsSync(namespaceFolder) ? readdirSync(namespaceFolder) : []
}

function batch(options: readonly string[], commands: readonly string[]): void {
  execFileSync('ip', [...options, '-batch', '-'], { input: commands.join('\n') })
}
