// Writes the commands of the image below its folder. The base image has no /usr/bin/env, which the first line of the
// package's command needs.
const { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const image = process.argv[2] ?? ''
const programs = join(image, 'usr/local/bin')
const system = join(image, 'usr/bin')

function writeCommand(name, file, flags = '') {
  const text = `#!/usr/local/bin/node${flags}\nrequire(${JSON.stringify(join('/app', file))})\n`
  writeFileSync(join(programs, name), text, { mode: 0o755 })
}

const { bin } = JSON.parse(readFileSync(join(image, 'app/package.json'), 'utf8'))
// docs/decisions/0011-memory-of-the-heap.md has the reason for the flag.
writeCommand('bucketry', bin.bucketry, ' --max-semi-space-size=16')

for (const file of ['curl.cjs', 'mc.cjs', 'request-url.cjs']) {
  copyFileSync(join(__dirname, file), join(image, 'app', file))
}
writeCommand('curl', 'curl.cjs')
writeCommand('mc', 'mc.cjs')

mkdirSync(system, { recursive: true })
// Commands of services that were made for MinIO name it in either folder.
for (const folder of [programs, system]) {
  symlinkSync('/usr/local/bin/bucketry', join(folder, 'minio'))
}
// What health checks and commands of such services use besides curl and mc.
for (const name of ['sh', 'wget', 'mkdir', 'sleep', 'ls', 'cat', 'grep']) {
  symlinkSync('busybox', join(system, name))
}
