import { fs } from '../file-calls.ts'
import type { FolderRoot } from '../folders/open-folder.ts'
import { removeTree } from '../folders/own-folders.ts'
import { codeOf, isAbsent } from '../fs-error.ts'
import { uniqueTimeMs } from '../objects/file-identity.ts'
import { folderOpenFlags } from '../objects/paced-files.ts'
import { type FileLook, type Finding, findingsIn, type Observations, untested } from './findings.ts'

/** How often a file is replaced while a reader looks at its path. */
const replacements = 8
/** Longer than one read of a server, so that a half-written file is noticed. */
const versionBytes = 8_192

/**
 * Tests in a temporary folder what a drive needs from its file system. Never rejects.
 *
 * @param folder of this process, on the drive: what remains after a kill is swept
 * @returns what is missing
 */
export async function probeFolder(root: FolderRoot, folder: string): Promise<readonly Finding[]> {
  let own: string | undefined
  try {
    own = await fs.promises.mkdtemp(`${folder}/probe-`)
    return findingsIn(await observe(own))
  } catch (error) {
    return [untested(codeOf(error) || String(error))]
  } finally {
    // The sweep removes what remains after this process has ended.
    if (own !== undefined) await removeTree(root, own).catch(() => undefined)
  }
}

async function observe(folder: string): Promise<Observations> {
  // Not concurrently: after a failure, nothing may still be creating files.
  return {
    ...(await observeReplacing(folder)),
    ...(await observeLocks(folder)),
    looks: await observeFile(folder),
    folderSync: await observeSync(folder),
  }
}

type Replacing = Pick<Observations, 'replace' | 'replaceOpen' | 'gap' | 'keepsOpenFile'>

async function observeReplacing(folder: string): Promise<Replacing> {
  const path = `${folder}/replaced`
  await fs.promises.writeFile(path, version(0))
  const replace = await replaceWith(1, path)
  const reader = await fs.promises.open(path)
  try {
    const replaceOpen = replace ?? (await replaceWith(2, path))
    // The other tests need a replacement.
    if (replaceOpen !== undefined) {
      return { replace, replaceOpen, gap: undefined, keepsOpenFile: true }
    }
    const drafts: string[] = []
    for (let number = 3; number <= replacements; number += 1) {
      drafts.push(await writeDraft(number, path))
    }
    // The drafts are written first, because the reader keeps a core busy.
    const gap = await readWhile(path, async () => {
      for (const draft of drafts) await codeFrom(() => fs.promises.rename(draft, path))
    })
    const text = await reader.readFile('latin1').catch(() => undefined)
    return { replace, replaceOpen, gap, keepsOpenFile: text === version(1) }
  } finally {
    await reader.close()
  }
}

/** The content of the file after this many replacements: one digit, repeated. */
function version(number: number): string {
  return `${number}`.repeat(versionBytes)
}

async function replaceWith(number: number, path: string): Promise<string | undefined> {
  const draft = await writeDraft(number, path)
  return await codeFrom(() => fs.promises.rename(draft, path))
}

async function writeDraft(number: number, path: string): Promise<string> {
  const draft = `${path}-${number}`
  await fs.promises.writeFile(draft, version(number))
  return draft
}

/** Reads the file repeatedly during `work`. Returns what it found instead of a complete file, as a user-facing text. */
async function readWhile(path: string, work: () => Promise<void>): Promise<string | undefined> {
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  const [gap] = await Promise.all([readUntil(() => isDone, path), working])
  return gap
}

async function readUntil(isDone: () => boolean, path: string): Promise<string | undefined> {
  let gap: string | undefined
  do {
    try {
      const text = await fs.promises.readFile(path, 'latin1')
      if (text !== version(Number(text[0]))) gap ??= 'an incomplete file'
    } catch (error) {
      gap ??= isAbsent(error) ? 'no file' : `an error (${codeOf(error)})`
    }
  } while (!isDone())
  return gap
}

async function observeLocks(folder: string): Promise<Pick<Observations, 'link' | 'createsTwice'>> {
  const holder = `${folder}/holder`
  const lock = `${folder}/lock`
  await fs.promises.writeFile(holder, '')
  const link = await codeFrom(() => fs.promises.link(holder, lock))
  const again =
    link === undefined
      ? await codeFrom(() => fs.promises.link(holder, lock))
      : await codeFrom(() => fs.promises.writeFile(holder, '', { flag: 'wx' }))
  return { link, createsTwice: again === undefined }
}

/** Like the drive with an object: sets the time, then reads the identity. */
async function observeFile(folder: string): Promise<readonly FileLook[]> {
  const path = `${folder}/file`
  const renamed = `${path}-renamed`
  const looks: FileLook[] = []
  const writer = await fs.promises.open(path, 'wx')
  try {
    await writer.writeFile('bytes')
    const seconds = uniqueTimeMs() / 1_000
    await writer.utimes(seconds, seconds)
    looks.push(await writer.stat())
  } finally {
    await writer.close()
  }
  looks.push(await fs.promises.lstat(path), await statOpened(path))
  await fs.promises.rename(path, renamed)
  looks.push(await fs.promises.lstat(renamed), await statOpened(renamed))
  return looks
}

async function statOpened(path: string): Promise<FileLook> {
  const handle = await fs.promises.open(path)
  try {
    return await handle.stat()
  } finally {
    await handle.close()
  }
}

async function observeSync(folder: string): Promise<string | undefined> {
  const handle = await fs.promises.open(folder, folderOpenFlags)
  try {
    return await codeFrom(() => handle.sync())
  } finally {
    await handle.close()
  }
}

/** The code of the error; undefined without one. */
async function codeFrom(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}
