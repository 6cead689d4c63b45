import { randomBytes } from 'node:crypto'
import { DavError } from './dav-error.ts'
import { type DavPath, pathKey } from './dav-path.ts'

/** Bytes on the emulator's disk. They never change, so that readers keep the version they opened. */
export interface Content {
  readonly file: string
  readonly size: number
}

interface NodeFacts {
  readonly fileId: number
  /** Without quotes. */
  etag: string
  modifiedAtMs: number
}

export interface FileNode extends NodeFacts {
  readonly kind: 'file'
  content: Content
  /** oc:checksums, from the client or X-Recalculate-Hash; empty if neither sent one. */
  checksum: string
}

export interface FolderNode extends NodeFacts {
  readonly kind: 'folder'
  readonly children: Map<string, TreeNode>
}

export type TreeNode = FileNode | FolderNode

export interface PutFacts {
  readonly modifiedAtMs?: number | undefined
  readonly checksum?: string | undefined
}

/**
 * The files of a user: Nextcloud's file cache. A change gives every folder above it a new ETag, as
 * Nextcloud's propagator does.
 */
export class FileTree {
  readonly root: FolderNode = { kind: 'folder', ...newFacts(1), children: new Map() }
  #lastFileId = 1
  readonly #forget: (content: Content) => void

  /** @param forget called for bytes that no file uses any more */
  constructor(forget: (content: Content) => void) {
    this.#forget = forget
  }

  find(path: DavPath): TreeNode | undefined {
    let node: TreeNode | undefined = this.root
    for (const name of path) {
      node = node?.kind === 'folder' ? node.children.get(name) : undefined
    }
    return node
  }

  get(path: DavPath): TreeNode {
    const node = this.find(path)
    if (node === undefined) {
      throw new DavError(404, `File with name //${pathKey(path)} could not be located`)
    }
    return node
  }

  /** The parent folder of `path`; 409 if there is none. */
  parentOf(path: DavPath): FolderNode {
    const parent = this.find(path.slice(0, -1))
    if (parent?.kind === 'folder') return parent
    throw new DavError(409, 'Files cannot be created in non-existent collections')
  }

  /** Replaces the content of the file atomically. An existing file keeps its id. */
  put(path: DavPath, content: Content, { modifiedAtMs, checksum = '' }: PutFacts): FileNode {
    const parent = this.parentOf(path)
    const old = parent.children.get(nameOf(path))
    if (old?.kind === 'folder') throw new DavError(409, 'PUT is not allowed on non-files.')
    if (old !== undefined) this.#forget(old.content)
    const facts = newFacts(old?.fileId ?? ++this.#lastFileId)
    const node: FileNode = { kind: 'file', ...facts, content, checksum }
    parent.children.set(nameOf(path), node)
    this.#touch(path)
    if (modifiedAtMs !== undefined) node.modifiedAtMs = modifiedAtMs
    return node
  }

  makeFolder(path: DavPath): FolderNode {
    const parent = this.parentOf(path)
    if (parent.children.has(nameOf(path))) {
      throw new DavError(405, 'The resource you tried to create already exists')
    }
    const folder: FolderNode = {
      kind: 'folder',
      ...newFacts(++this.#lastFileId),
      children: new Map(),
    }
    parent.children.set(nameOf(path), folder)
    this.#touch(path)
    return folder
  }

  remove(path: DavPath): void {
    const node = this.get(path)
    if (path.length === 0) throw new DavError(403, 'The root stays')
    this.parentOf(path).children.delete(nameOf(path))
    this.#touch(path)
    for (const { content } of filesIn(node)) this.#forget(content)
  }

  /** The target must be free. Ids move with the files. */
  move(from: DavPath, to: DavPath): void {
    const node = this.get(from)
    const parent = this.parentOf(to)
    this.parentOf(from).children.delete(nameOf(from))
    parent.children.set(nameOf(to), node)
    this.#touch(from)
    this.#touch(to)
  }

  /** Creates a copy of a file or an empty folder there, with a new id. */
  copy(source: TreeNode, to: DavPath, content: (of: Content) => Content): void {
    if (source.kind === 'file') {
      this.put(to, content(source.content), { modifiedAtMs: source.modifiedAtMs })
      return
    }
    this.makeFolder(to)
    for (const [name, child] of source.children) this.copy(child, [...to, name], content)
  }

  get usedBytes(): number {
    return sizeOf(this.root)
  }

  #touch(path: DavPath): void {
    let folder: TreeNode | undefined = this.root
    for (const name of path) {
      if (folder?.kind !== 'folder') return
      Object.assign(folder, { etag: newEtag(), modifiedAtMs: Date.now() })
      folder = folder.children.get(name)
    }
  }
}

export function nameOf(path: DavPath): string {
  return path.at(-1) ?? ''
}

/** Bytes of the file, or of all files in the folder: oc:size. */
export function sizeOf(node: TreeNode): number {
  let size = 0
  for (const { content } of filesIn(node)) size += content.size
  return size
}

function* filesIn(node: TreeNode): Iterable<FileNode> {
  if (node.kind === 'file') yield node
  else for (const child of node.children.values()) yield* filesIn(child)
}

function newFacts(fileId: number): NodeFacts {
  return { fileId, etag: newEtag(), modifiedAtMs: Date.now() }
}

function newEtag(): string {
  return randomBytes(16).toString('hex')
}
