import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { signalAll, treeOf } from './process-tree.ts'

/** Between SIGTERM to the process of a file and SIGKILL to all that it started. */
const graceMs = 2_000

/**
 * The processes in which node:test runs files. It waits for each without a limit: its option `timeout` is one of tests, and
 * not of a process that does not end after them, nor of another process that still holds the file's output.
 */
export class RunningFiles {
  readonly #longestMs: number
  /** The times when they began. */
  readonly #began = new Map<ChildProcess, number>()
  /** Processes of files that took too long. */
  readonly #doomed = new Set<number>()

  /** @param longestMs after which a file is ended and fails */
  constructor(longestMs: number) {
    this.#longestMs = longestMs
    subscribe('child_process', (message) => {
      const { process: child } = message as { readonly process: ChildProcess }
      // It is published before the process is started.
      process.nextTick(() => void this.#follow(child))
    })
  }

  /** Kills all, with what they started. @returns a line about each */
  killAll(): string[] {
    signalAll(this.#doomed, 'SIGKILL')
    return [...this.#began].map(([child, began]) => {
      signalAll(processesOf(child), 'SIGKILL')
      return `still running after ${seconds(performance.now() - began)}: ${fileOf(child)}`
    })
  }

  async #follow(child: ChildProcess): Promise<void> {
    const { stdout, pid } = child
    if (stdout === null || pid === undefined) return
    this.#began.set(child, performance.now())
    const timer = setTimeout(() => this.#end(child), this.#longestMs)
    await Promise.allSettled([once(child, 'exit'), once(stdout, 'close')])
    clearTimeout(timer)
    this.#began.delete(child)
  }

  #end(child: ChildProcess): void {
    // Before the signal: afterwards, they have another parent.
    const tree = processesOf(child)
    for (const pid of tree) this.#doomed.add(pid)
    const what = tree.length > 0 ? 'is killed' : 'has ended, but another process holds its output'
    console.log(`${fileOf(child)} takes longer than ${seconds(this.#longestMs)}: it ${what}`)
    child.kill('SIGTERM')
    setTimeout(() => {
      signalAll(new Set(tree.flatMap(treeOf)), 'SIGKILL')
      // Then node:test stops waiting for those that could not be found.
      child.stdout?.destroy()
    }, graceMs)
  }
}

/** None if its process has ended: what it has left has another parent. */
function processesOf({ pid, exitCode, signalCode }: ChildProcess): number[] {
  return pid === undefined || exitCode !== null || signalCode !== null ? [] : treeOf(pid)
}

/** It follows Node's options on the command line. */
function fileOf(child: ChildProcess): string {
  return child.spawnargs.at(-1) ?? ''
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
