import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServerCertificate } from './certificates.ts'
import { codeBlockOf, replaced } from './code-blocks.ts'

const page = 'docs/reverse-proxy.md'
const startTimeoutMs = 60_000
const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

export interface ReverseProxy {
  stop(): Promise<void>
}

export interface ProxyPlace {
  /** An empty folder of the proxy. */
  readonly folder: string
  /** The port of the loopback that it listens on. */
  readonly port: number
  /** For `localhost`. */
  readonly certificate: ServerCertificate
}

export type ProxyName = 'nginx' | 'caddy'

const programs: Readonly<Record<ProxyName, string>> = {
  nginx: '/usr/sbin/nginx',
  caddy: '/usr/bin/caddy',
}

/** The reason to skip tests with this proxy, or false. */
export function absenceOfProxy(name: ProxyName): string | false {
  try {
    accessSync(programs[name], constants.X_OK)
    return false
  } catch {
    return `${name} is not installed (.ci/run installs it)`
  }
}

/** Runs a proxy with its configuration of docs/reverse-proxy.md in front of the gateway on this port. */
export function startReverseProxy(
  name: ProxyName,
  place: ProxyPlace,
  gatewayPort: number,
): Promise<ReverseProxy> {
  return name === 'nginx'
    ? startNginx(place, upstreamOf('nginx', [9000], [gatewayPort]))
    : startCaddy(place, 'Caddy', { '127.0.0.1:9000': `127.0.0.1:${gatewayPort}` })
}

/** A proxy with the two gateways of the page's section about rolling restarts. */
export function startRollingProxy(
  name: ProxyName,
  place: ProxyPlace,
  gatewayPorts: readonly [number, number],
): Promise<ReverseProxy> {
  const documented = [9000, 9001] as const
  if (name === 'nginx') {
    return startNginx(place, upstreamOf('Rolling restart', documented, gatewayPorts))
  }
  const addresses = (ports: readonly number[]) => ports.map((port) => `127.0.0.1:${port}`).join(' ')
  const upstreams = { [addresses(documented)]: addresses(gatewayPorts) }
  return startCaddy(place, 'Rolling restart', upstreams)
}

/** nginx with any number of gateways, each as on the page. */
export function startFleetNginx(
  place: ProxyPlace,
  gatewayPorts: readonly number[],
): Promise<ReverseProxy> {
  const one = upstreamOf('nginx', [9000], [0])
  const [line = ''] = /^ *server .*$/m.exec(one) ?? []
  const lines = gatewayPorts.map((port) => line.replace(':0 ', `:${port} `))
  return startNginx(place, one.replace(line, lines.join('\n')))
}

const upstreamBlock = /^upstream bucketry \{[\s\S]*?^\}$/m

function upstreamOf(
  heading: string,
  documented: readonly number[],
  ports: readonly number[],
): string {
  const [upstream = ''] = upstreamBlock.exec(codeBlockOf(page, heading, 'nginx')) ?? []
  const changes = documented.map((port, index) => [
    `127.0.0.1:${port} `,
    `127.0.0.1:${ports[index]} `,
  ])
  return replaced(upstream, Object.fromEntries(changes))
}

function startNginx(place: ProxyPlace, upstream: string): Promise<ReverseProxy> {
  const { folder, port, certificate } = place
  const server = replaced(codeBlockOf(page, 'nginx', 'nginx').replace(upstreamBlock, upstream), {
    'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
    's3.example.com;': 'localhost;',
    '/etc/letsencrypt/live/s3.example.com/fullchain.pem': certificate.certFile,
    '/etc/letsencrypt/live/s3.example.com/privkey.pem': certificate.keyFile,
  })
  return startPlainNginx({ folder, port }, server)
}

/** nginx with these upstreams and servers, which listen on the port. */
export function startPlainNginx(
  place: Pick<ProxyPlace, 'folder' | 'port'>,
  servers: string,
): Promise<ReverseProxy> {
  const { folder } = place
  const temporary = temporaryFolders.map((each) => `${each}_temp_path ${join(folder, each)};`)
  const file = join(folder, 'nginx.conf')
  const first = ['daemon off;', 'pid pid;', 'events {}']
  const http = ['http {', 'access_log off;', 'gzip on;', ...temporary, servers, '}']
  writeFileSync(file, [...first, ...http].join('\n'))
  return start('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], place)
}

function startCaddy(
  place: ProxyPlace,
  heading: string,
  upstreams: Readonly<Record<string, string>>,
): Promise<ReverseProxy> {
  const { folder, port, certificate } = place
  const site = replaced(codeBlockOf(page, heading, 'caddyfile'), {
    's3.example.com {': `https://localhost:${port} {
      bind 127.0.0.1
      tls ${certificate.certFile} ${certificate.keyFile}`,
    ...upstreams,
  })
  const file = join(folder, 'Caddyfile')
  // Caddy would otherwise listen for its own management and on port 80.
  // HTTP/3 needs the UDP port, which `freePort` keeps.
  const protocols = 'servers {\n    protocols h1 h2\n  }'
  writeFileSync(file, `{\n  admin off\n  auto_https disable_redirects\n  ${protocols}\n}\n${site}`)
  return start('caddy', ['run', '--adapter', 'caddyfile', '--config', file], place)
}

async function start(
  name: ProxyName,
  args: readonly string[],
  { folder, port }: Pick<ProxyPlace, 'folder' | 'port'>,
): Promise<ReverseProxy> {
  const child = spawn('setpriv', ['--pdeathsig=TERM', programs[name], ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder },
  })
  const exit = once(child, 'close')
  let errors = ''
  child.stderr.on('data', (text: Buffer) => {
    errors = `${errors}${text}`.slice(-10_000)
  })
  await untilAccepting(child, port, () => errors)
  return {
    async stop() {
      child.kill('SIGTERM')
      await exit
    },
  }
}

async function untilAccepting(
  child: ChildProcess,
  port: number,
  errors: () => string,
): Promise<void> {
  const giveUpAtMs = Date.now() + startTimeoutMs
  while (!(await doesAccept(port))) {
    if (child.exitCode !== null || Date.now() > giveUpAtMs) {
      throw new Error(`the proxy does not start:\n${errors()}`)
    }
    await wait(20)
  }
}

async function doesAccept(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
