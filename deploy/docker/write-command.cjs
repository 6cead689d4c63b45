// Writes usr/local/bin/bucketry below the folder of the image. The base image has no /usr/bin/env, which
// the first line of the package's command needs.
const { readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const image = process.argv[2] ?? ''
const { bin } = JSON.parse(readFileSync(join(image, 'app/package.json'), 'utf8'))
const command = `#!/usr/local/bin/node\nrequire(${JSON.stringify(join('/app', bin.bucketry))})\n`
writeFileSync(join(image, 'usr/local/bin/bucketry'), command, { mode: 0o755 })
