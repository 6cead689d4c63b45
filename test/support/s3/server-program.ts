import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ListBucketsCommand } from '@aws-sdk/client-s3'
import { until } from '../management-client.ts'
import type { Scope } from '../webdav/server-process.ts'
import { clientOf, type StoreLogin } from './s3-store.ts'

/** A folder that is removed with the scope. */
export function folderFor(scope: Scope, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `bucketry-${name}-`))
  scope.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A program that runs. */
export interface StoreProcess {
  /** Throws what it has written if it has ended. */
  check(): void
}

/** Starts a program that writes into the folder, and ends with the scope and with the test's process. */
export function startProcess(
  scope: Scope,
  folder: string,
  [program, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>> = {},
): StoreProcess {
  const path = join(folder, `${basename(program)}.log`)
  const log = openSync(path, 'a')
  // Nothing that it keeps is needed afterwards.
  const server = spawn('setpriv', ['--pdeathsig=KILL', program, ...args], {
    ...{ cwd: folder, stdio: ['ignore', log, log] },
    env: { ...process.env, ...environment },
  })
  closeSync(log)
  const ended = once(server, 'exit')
  scope.after(async () => {
    server.kill('SIGKILL')
    await ended
  })
  return {
    check() {
      if (server.exitCode === null && server.signalCode === null) return
      throw new Error(`${program} has ended: ${readFileSync(path, 'utf8').slice(-2_000)}`)
    },
  }
}

/** Waits until a store takes requests. */
export async function untilServing(login: StoreLogin, server: StoreProcess): Promise<void> {
  const client = clientOf(login)
  try {
    await until(async () => {
      server.check()
      return await client.send(new ListBucketsCommand({})).then(
        () => true,
        () => false,
      )
    })
  } finally {
    client.destroy()
  }
}
