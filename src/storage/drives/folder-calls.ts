/** Its key ends in `/`. */
interface FolderName {
  readonly bucket: string
  readonly key: string
}

/** The part of a drive that concerns folders. */
export interface FolderCalls {
  /**
   * Removes the folder of a key, regardless of its creator, if it is empty. Also removes folders above it that only keys
   * created and that are now empty. Has no effect if the folder has content or does not exist. Absent if the drive can't
   * remove a folder without also removing files that are added to it meanwhile.
   */
  removeFolder?(bucket: string, key: string): Promise<void>

  /**
   * Moves a folder with everything in it in one step. A read finds each object at its old or its new key, and an object
   * that is written to the folder meanwhile is moved with it, or is at its own key afterwards. Objects keep their times and
   * attributes, and uploads in progress their keys. Durable when resolved. Returns how many objects there are at the target.
   * Undefined if that is not possible here, such as to a folder that has content: the caller then moves the objects one by
   * one. Absent if the drive can't do it.
   */
  moveFolder?(
    from: FolderName,
    to: FolderName,
    options: FolderMoveOptions,
  ): Promise<number | undefined>
}

export interface FolderMoveOptions {
  /**
   * What an attempt whose outcome is unknown gave to `beforeMove`. If another folder has the old name now, or none, that
   * attempt succeeded: its rest is done, and nothing is moved again.
   */
  readonly earlier?: string | undefined
  /** Called with what identifies the folder, before anything is moved. Rejects to prevent it. */
  beforeMove(identity: string): Promise<void>
  /** Called immediately before the step. Throws to prevent it. */
  assertMayGoOn(): void
}
