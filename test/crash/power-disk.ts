import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const programs = ['/usr/sbin/mkfs.ext4', '/usr/sbin/fsfreeze', '/dev/loop-control']

/** Why there can be no such disk here; false if there can. */
export const powerDiskAbsence: string | false =
  process.getuid?.() === 0 && programs.every((path) => existsSync(path))
    ? false
    : 'only root may mount a disk image, with mkfs.ext4 and fsfreeze'

const commitPauseMs = 20
const diskBytes = 256 * 1024 * 1024

/**
 * An ext4 whose power can fail. It is an image in a file, on a file system of its own: while that is frozen, the image has what
 * the disk would have at this moment, and nothing of what is only in the memory of the system.
 */
export class PowerDisk {
  /** Where it is mounted. */
  readonly folder: string
  readonly #base = mkdtempSync(join(os.tmpdir(), 'bucketry-power-'))
  readonly #outer = join(this.#base, 'outer')
  readonly #image = join(this.#outer, 'disk.img')

  constructor() {
    this.folder = join(this.#base, 'disk')
    for (const folder of [this.#outer, this.folder]) mkdirSync(folder)
    const outerImage = join(this.#base, 'outer.img')
    format(outerImage, 2 * diskBytes)
    run('mount', '-o', 'loop', outerImage, this.#outer)
    format(this.#image, diskBytes)
    this.#mount()
  }

  #mount(): void {
    // Without auto_da_alloc, ext4 writes a new name before the bytes of its file also if it replaces another one (ext4(5)).
    run('mount', '-o', 'loop,noauto_da_alloc', this.#image, this.folder)
  }

  /** Writes the journal again and again until aborted: the names of all files come to the disk, but not their bytes. */
  async commitNames(signal: AbortSignal): Promise<void> {
    const file = await open(join(this.folder, 'other'), 'w')
    try {
      while (!signal.aborted) {
        await file.write('x', 0)
        await file.sync()
        await delay(commitPauseMs)
      }
    } finally {
      await file.close()
    }
  }

  /** What the disk has at this moment. The processes that use it may run on: what they do is lost. */
  cut(): void {
    run('fsfreeze', '--freeze', this.#outer)
    try {
      run('cp', '--sparse=always', this.#image, join(this.#base, 'after.img'))
    } finally {
      run('fsfreeze', '--unfreeze', this.#outer)
    }
  }

  /**
   * Mounts what the disk had at the cut. No process of the gateway may run any more. The image is a new file: a container
   * that starts meanwhile has a copy of every mount, with which the old file system lives on.
   */
  restart(): void {
    run('umount', '--lazy', this.folder)
    rmSync(this.#image)
    run('cp', '--sparse=always', join(this.#base, 'after.img'), this.#image)
    this.#mount()
  }

  remove(): void {
    for (const folder of [this.folder, this.#outer]) {
      try {
        run('umount', '--lazy', folder)
      } catch {
        // It is not mounted.
      }
    }
    rmSync(this.#base, { recursive: true, force: true })
  }
}

function format(path: string, bytes: number): void {
  writeFileSync(path, '')
  truncateSync(path, bytes)
  run('mkfs.ext4', '-q', '-F', path)
}

function run(program: string, ...given: string[]): void {
  execFileSync(program, given, { stdio: ['ignore', 'ignore', 'pipe'] })
}
