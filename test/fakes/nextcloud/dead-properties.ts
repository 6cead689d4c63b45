import { type DavPath, pathKey } from './dav-path.ts'

/** Name in Clark notation, `{namespace}name`, to value. */
export type Properties = ReadonlyMap<string, string>

/**
 * The properties set by clients, stored by path as in OCA\DAV\DAV\CustomPropertiesBackend, not by file.
 * So a value survives an overwrite, COPY omits it, and MOVE and DELETE of a folder leave the values of
 * the files in it behind.
 */
export class DeadProperties {
  readonly #byPath = new Map<string, Map<string, string>>()

  of(path: DavPath): Properties {
    return this.#byPath.get(pathKey(path)) ?? new Map()
  }

  /** An undefined value removes the property. */
  change(path: DavPath, changes: ReadonlyMap<string, string | undefined>): void {
    const values = new Map(this.of(path))
    for (const [name, value] of changes) {
      if (value === undefined) values.delete(name)
      else values.set(name, value)
    }
    this.#byPath.set(pathKey(path), values)
  }

  removed(path: DavPath): void {
    this.#byPath.delete(pathKey(path))
  }

  moved(from: DavPath, to: DavPath): void {
    const values = this.#byPath.get(pathKey(from))
    if (values === undefined) return
    this.#byPath.delete(pathKey(from))
    this.#byPath.set(pathKey(to), values)
  }
}
