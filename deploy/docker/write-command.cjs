// Writes usr/local/bin/bucketry below the folder of the image. The base image has no /usr/bin/env, which
// the first line of the package's command needs.
const { readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const image = process.argv[2] ?? ''
const { bin } = JSON.parse(readFileSync(join(image, 'app/package.json'), 'utf8'))
// docs/decisions/0011-memory-of-the-heap.md has the reason for the flag.
const command = `#!/usr/local/bin/node --max-semi-space-size=16\nrequire(${JSON.stringify(join('/app', bin.bucketry))})\n`
writeFileSync(join(image, 'usr/local/bin/bucketry'), command, { mode: 0o755 })
