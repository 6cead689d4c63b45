type Removals = readonly (Error | undefined)[]

/** What a drive may have to remove many objects with few requests. */
export interface BatchRemoval {
  /**
   * Removes up to 1,000 objects, whatever is there. Resolves with the DriveError of each; undefined if there is no object any
   * more. Undefined as a whole if that is not possible now: then the caller removes them one by one.
   */
  removeAll?(bucket: string, keys: readonly string[]): Promise<Removals | undefined>
}
