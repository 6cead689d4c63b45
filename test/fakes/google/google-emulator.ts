import type { Account, Knobs } from './account.ts'
import { ByHand } from './by-hand.ts'
import { ContentStore } from './content-store.ts'
import { Counters } from './counters.ts'
import {
  CredentialsDesk,
  type ServiceAccountKey,
  type UserCredentials,
} from './credentials-desk.ts'
import { DriveFiles } from './drive-files.ts'
import { EmulatorClock } from './emulator-clock.ts'
import { EmulatorServer } from './emulator-server.ts'
import { Faults } from './faults.ts'
import { Link } from './link.ts'
import { PageTokens } from './page-tokens.ts'
import { QuotaMeter } from './quota-meter.ts'
import { UploadSessions } from './upload-sessions.ts'

export interface EmulatorOptions {
  /** Delay of every reply, milliseconds. Default: none. */
  readonly latencyMs?: number
  /** Speed of the link, in each direction. */
  readonly bytesPerSecond?: number
  /** Creates a shared drive of this name; then `rootFolderId` is its root. */
  readonly sharedDrive?: string
  /** Default: any free port. */
  readonly port?: number
}

export interface GoogleEmulator {
  /** Its origin. */
  readonly url: string
  readonly endpoints: { readonly api: string; readonly upload: string; readonly token: string }
  readonly credentials: UserCredentials
  /** A service account of the same Drive, as in its key file. */
  readonly serviceAccount: ServiceAccountKey
  /** Of My Drive, or of the shared drive. */
  readonly rootFolderId: string
  readonly sharedDriveId: string | undefined
  readonly faults: Faults
  readonly counters: Counters
  readonly clock: EmulatorClock
  /** What a user does in the web page. */
  readonly byHand: ByHand
  readonly knobs: Knobs
  /** Token endpoint: expiry and revocation. */
  readonly desk: CredentialsDesk
  /** All files, and the lags of queries and of the changes feed. */
  readonly files: DriveFiles
  readonly sessions: UploadSessions
  readonly pages: PageTokens
  /** Quota units a minute. */
  readonly meter: QuotaMeter
  close(): Promise<void>
}

/** Starts an empty Google Drive with one account on the loopback interface. */
export async function startGoogleEmulator(options: EmulatorOptions = {}): Promise<GoogleEmulator> {
  const clock = new EmulatorClock()
  const store = await ContentStore.open()
  const files = new DriveFiles(clock)
  const shared =
    options.sharedDrive === undefined ? undefined : files.addSharedDrive(options.sharedDrive)
  const desk = new CredentialsDesk(clock)
  const sessions = new UploadSessions(clock, store)
  const knobs = {
    maxChildren: 500_000,
    pageLimit: Number.POSITIVE_INFINITY,
    hasEmptyPages: false,
    copiesProperties: true,
    isSearchIncomplete: false,
  }
  const accounting = { pages: new PageTokens(), meter: new QuotaMeter(clock) }
  const account: Account = { clock, desk, files, store, sessions, ...accounting, knobs }
  const speed = options.bytesPerSecond ?? Number.POSITIVE_INFINITY
  const parts = { faults: new Faults(), counters: new Counters() }
  const links = { up: new Link(speed), down: new Link(speed), latencyMs: options.latencyMs ?? 0 }
  const server = new EmulatorServer({ account, ...parts, ...links })
  const url = await server.listen(options.port ?? 0)
  desk.tokenUrl = `${url}/token`
  return {
    url,
    endpoints: { api: `${url}/drive/v3`, upload: `${url}/upload/drive/v3`, token: desk.tokenUrl },
    credentials: desk.user,
    get serviceAccount() {
      return desk.serviceAccount
    },
    rootFolderId: shared?.id ?? files.rootId,
    sharedDriveId: shared?.id,
    ...parts,
    clock,
    byHand: new ByHand(account),
    knobs,
    desk,
    files,
    sessions,
    ...accounting,
    async close() {
      await server.close()
      await store.close()
    },
  }
}
