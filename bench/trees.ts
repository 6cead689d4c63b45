import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchContext } from './scenario.ts'
import { bucket } from './server-kinds.ts'

export interface Tree {
  readonly name: string
  readonly files: number
  readonly folders: number
  /** Key of file `index`, 0 to files - 1, ascending. */
  readonly keyOf: (index: number) => string
}

/** Files in the bucket's folder itself. */
export function flatTree(name: string, files: number): Tree {
  return { name, files, folders: 0, keyOf: (index) => `file-${String(index).padStart(7, '0')}` }
}

/** Folders of 100 files. */
export function deepTree(name: string, files: number): Tree {
  return {
    ...{ name, files, folders: files / 100 },
    keyOf: (index) =>
      `${folderOf(Math.floor(index / 100))}/file-${String(index % 100).padStart(3, '0')}`,
  }
}

function folderOf(index: number): string {
  return `folder-${String(index).padStart(5, '0')}`
}

/** Empty files, made once. Built beside and renamed, so that half a tree is never used. */
export function ensureTree(context: BenchContext, tree: Tree): string {
  const root = join(context.keptFolder, tree.name)
  if (existsSync(root)) return root
  context.progress(`making ${tree.files} files in ${root}, once`)
  const unfinished = `${root}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const folder = join(unfinished, bucket)
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < tree.folders; index++) mkdirSync(join(folder, folderOf(index)))
  for (let index = 0; index < tree.files; index++) {
    closeSync(openSync(join(folder, tree.keyOf(index)), 'wx'))
  }
  renameSync(unfinished, root)
  return root
}
