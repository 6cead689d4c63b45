import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** What the Dockerfile copies, and what its commands and npm need besides Node. */
const buildPrograms = ['sync', 'sh', 'env', 'mkdir', 'cp', 'chmod', 'tar', 'gzip']

/**
 * Root folders of the base images, made of this machine's own files, because tests cannot load images: one
 * with Node, npm and a shell, as node:24-slim, one with only the libraries that Node needs, as distroless, and
 * one with busybox.
 */
export function makeBaseRoots(folder: string): Readonly<Record<'node' | 'base' | 'shell', string>> {
  const [node, base, shell] = [join(folder, 'node'), join(folder, 'base'), join(folder, 'shell')]
  mkdirSync(join(shell, 'bin'), { recursive: true })
  cpSync('/usr/bin/busybox', join(shell, 'bin/busybox'))
  for (const root of [node, base]) makeCommonFiles(root)
  const libraries = librariesOf(process.execPath)
  for (const library of libraries) {
    copyInto(node, library)
    copyInto(base, library)
  }
  // Parts of glibc that programs of before 2.34 name, such as the bundler.
  const glibc = libraries.find((path) => basename(path) === 'libc.so.6') ?? ''
  copyInto(node, join(dirname(glibc), 'librt.so.1'))
  for (const name of buildPrograms) {
    const path = execFileSync('which', [name], { encoding: 'utf8' }).trim()
    cpSync(realpathSync(path), join(node, 'usr/bin', name))
    for (const library of librariesOf(path)) copyInto(node, library)
  }
  cpSync(process.execPath, join(node, 'usr/local/bin/node'))
  copyNpm(node)
  return { node, base, shell }
}

function makeCommonFiles(root: string): void {
  for (const path of ['etc', 'root', 'usr/bin', 'usr/local/bin', 'usr/lib', 'usr/lib64']) {
    mkdirSync(join(root, path), { recursive: true })
  }
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  mkdirSync(join(root, 'tmp'), { mode: 0o1777 })
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/sbin/nologin\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
}

/** The dynamic loader and the libraries, as ldd(1) lists them. */
function librariesOf(program: string): string[] {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' })
  return Array.from(listed.matchAll(/(\/\S+) \(0x/g), ([, path = '']) => path)
}

/** Below /usr, where the links of the root folder lead. */
function copyInto(root: string, path: string): void {
  const target = join(root, path.startsWith('/usr/') ? path : `/usr${path}`)
  mkdirSync(dirname(target), { recursive: true })
  cpSync(realpathSync(path), target)
}

/** npm of this machine, which is not part of the package `node`. */
function copyNpm(root: string): void {
  const cli = realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())
  const folder = join(dirname(cli), '..')
  const target = '/usr/local/lib/node_modules/npm'
  cpSync(folder, join(root, target), { recursive: true })
  symlinkSync(`${target}/bin/${basename(cli)}`, join(root, 'usr/local/bin/npm'))
  // The packages come from this machine's cache, and from its registry if that lacks one.
  const registry = npmSetting('registry')
  writeFileSync(join(root, 'root/.npmrc'), `registry=${registry}\nprefer-offline=true\n`)
  // Where this machine needs more certificates to reach the registry, the build does, too.
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  const text = certificates === undefined ? '' : readFileSync(certificates)
  writeFileSync(join(root, extraCertificates), text)
}

/** In the image with Node, possibly empty. */
export const extraCertificates = '/etc/extra-certificates.pem'

/** The folder in which npm has kept the packages that `npm ci` installed here. */
export function npmCache(): string {
  return npmSetting('cache')
}

function npmSetting(name: string): string {
  // Not in this project, whose package.json may ask for another Node.
  return execFileSync('npm', ['config', 'get', name], {
    cwd: homedir(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}
