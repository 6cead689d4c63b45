import type { Command } from './command.ts'

/**
 * All commands; the first one is the default. The code of a command is imported when it runs, so that serving does
 * not load the others.
 */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    operands: '[FOLDER]',
    summary: 'Serve a folder or the drive of the settings. The default command.',
    count: [0, 1],
    takesFolder: true,
    options: {
      create: { type: 'boolean', meaning: 'Create FOLDER if it does not exist, without asking.' },
    },
    details: [
      'With FOLDER, each of its folders is a bucket, unless --bucket names the buckets. Keys and database are',
      'kept in a separate folder: the next start finds them from any working directory.',
    ],
    /** Serves until a signal ends the process. */
    async run(call) {
      const { runPrimary } = await import('../start/processes/primary.ts')
      await runPrimary(call)
      return undefined
    },
  },
  {
    name: 'server',
    operands: '[FOLDER]',
    summary: "Serve, with the command line of MinIO's compose files.",
    // Several folders are refused with a reason.
    count: [0, 1_000],
    options: {
      address: { type: 'string', value: '[HOST]:PORT', meaning: 'HOST and PORT.' },
      'console-address': {
        type: 'string',
        value: '[HOST]:PORT',
        meaning: 'DASHBOARD_ADDRESS: the dashboard also answers there.',
      },
      'certs-dir': {
        type: 'string',
        value: 'DIR',
        meaning: 'TLS_CERT and TLS_KEY: public.crt and private.key in DIR, if they exist.',
      },
      quiet: { type: 'boolean', meaning: 'No effect.' },
      anonymous: { type: 'boolean', meaning: 'No effect.' },
      json: { type: 'boolean', meaning: 'No effect.' },
    },
    details: [
      'FOLDER is DATA_DIR. It cannot be a folder that MinIO has written to: docs/moving-in.md shows how to copy.',
      'Empty folders in it become buckets. The word minio before the command is ignored.',
    ],
    async run(call) {
      const [{ runPrimary }, { asServer }] = await Promise.all([
        import('../start/processes/primary.ts'),
        import('./commands/server.ts'),
      ])
      await runPrimary(asServer(call))
      return undefined
    },
  },
  {
    name: 'check',
    operands: '[FOLDER]',
    summary: 'Check settings, database and drive, and exit.',
    count: [0, 1],
    takesFolder: true,
    options: {
      create: {
        type: 'boolean',
        meaning: 'Before the first start: accept missing files and folders that the start creates.',
      },
    },
    details: ['Exit status: 0 everything exists and works, 1 something fails or does not exist.'],
    async run(call) {
      const { checkCommand } = await import('./commands/check.ts')
      return await checkCommand(call)
    },
  },
  {
    name: 'health',
    operands: '',
    summary: 'Ask the server of HOST and PORT whether it serves, for health checks.',
    count: [0, 0],
    details: ['Exit status: 0 it serves, 1 it does not.'],
    async run(call) {
      const { healthCommand } = await import('./commands/health.ts')
      return await healthCommand(call)
    },
  },
  {
    name: 'connect',
    operands: 'google',
    summary: 'Get credentials for Google Drive and write them into the settings file.',
    count: [1, 1],
    options: {
      file: { type: 'string', value: 'FILE', meaning: 'Settings file to write.' },
      'redirect-port': {
        type: 'string',
        value: 'PORT',
        meaning: 'Local port for the redirect of the browser. Default: a free one.',
      },
      'from-rclone': {
        type: 'string',
        value: 'REMOTE',
        meaning: 'Use the credentials of an rclone remote.',
      },
      config: { type: 'string', value: 'FILE', meaning: "rclone's configuration file." },
    },
    details: ['With --drive NAME, the credentials are for the drive in DRIVE_NAME.'],
    async run(call) {
      const { connectCommand } = await import('./connect/google/connect-google.ts')
      return await connectCommand(call)
    },
  },
  {
    name: 'verify',
    operands: 'BUCKET',
    summary: 'Compare the objects of a bucket with their ETags and checksums.',
    count: [1, 1],
    options: {
      prefix: { type: 'string', value: 'PREFIX', meaning: 'Only keys that begin with PREFIX.' },
      json: { type: 'boolean', meaning: 'Print JSON documents, one per line.' },
    },
    details: [
      'Exit status: 0 all objects match, 1 an object differs, 2 not everything could be read.',
    ],
    async run(call) {
      const { verify } = await import('./commands/verify.ts')
      return await verify(call)
    },
  },
  {
    name: 'keys',
    operands: 'list|create|change|disable|enable|rotate|revoke [KEY]',
    summary: 'Manage the access keys of apps. The server may be running.',
    count: [1, 2],
    options: {
      grant: {
        type: 'string',
        isRepeated: true,
        value: 'BUCKET[/PREFIX]:ACTIONS',
        meaning:
          'A permission of the key, such as photos/public/:read,list. Repeat it for more grants.',
      },
      name: { type: 'string', value: 'NAME', meaning: 'A new name.' },
      note: { type: 'string', value: 'TEXT', meaning: 'A note.' },
      expires: {
        type: 'string',
        value: 'DATE',
        meaning: 'When the key expires, or never. A date means its beginning in UTC.',
      },
      'requests-per-second': {
        type: 'string',
        value: 'N',
        meaning: 'A limit in each process, or none.',
      },
      'keep-old': {
        type: 'string',
        value: 'DURATION',
        meaning: 'With rotate: how long the old secret stays valid. Default: 24h.',
      },
      json: { type: 'boolean', meaning: 'Print JSON documents, one per line.' },
    },
    details: [
      'create takes the name of the new key; the other actions take an access key ID or a name.',
      'ACTIONS are list, read, write, delete (all: these four), create, read-version, delete-version,',
      'bypass and manage. BUCKET may be *.',
      'A running server applies a change within a second. docs/access-keys.md describes grants.',
    ],
    async run(call) {
      const { keysCommand } = await import('./commands/keys.ts')
      return await keysCommand(call)
    },
  },
  {
    name: 'backup',
    operands: 'FILE',
    summary: 'Write the database and the generated settings to FILE. The server may be running.',
    count: [1, 1],
    details: ['FILE contains keys and passwords. Only its owner can read it.'],
    async run(call) {
      const { backup } = await import('./commands/backup.ts')
      process.stderr.write(`${await backup(call)}\n`)
      return 0
    },
  },
  {
    name: 'restore',
    operands: 'FILE',
    summary: 'Restore a backup into a database that does not exist yet or is empty.',
    count: [1, 1],
    details: ['A backup of SQLite can be restored to PostgreSQL, and vice versa.'],
    async run(call) {
      const { restore } = await import('./commands/backup.ts')
      process.stderr.write(`${await restore(call)}\n`)
      return 0
    },
  },
  {
    name: 'completion',
    operands: 'bash|zsh|fish',
    summary: 'Print a completion script for the shell.',
    count: [1, 1],
    details: ['For bash: source <(bucketry completion bash)'],
    async run({ operands }) {
      const { completionScript } = await import('./completion.ts')
      process.stdout.write(completionScript(operands[0] ?? '', commands))
      return 0
    },
  },
  {
    name: 'version',
    operands: '',
    summary: 'Print the version.',
    count: [0, 0],
    async run() {
      const { versionText } = await import('./help-text.ts')
      process.stdout.write(`${versionText()}\n`)
      return 0
    },
  },
  {
    name: 'help',
    operands: '[COMMAND]',
    summary: 'Print this help, or that of a command.',
    count: [0, 1],
    async run({ operands: [name] }) {
      const { helpText } = await import('./help-text.ts')
      process.stdout.write(helpText(commands, name))
      return 0
    },
  },
]
