import {
  type StoreAbility,
  storeAbilities,
} from '../src/storage/drives/s3/requests/store-abilities.ts'
import type { RecordedStore } from './recorded-stores.ts'

/** What Bucketry does without an ability, if it is not 501. */
const without: Partial<Readonly<Record<StoreAbility, string>>> = {
  createCopy: 'Bucketry reads and writes the bytes',
  replaceCopy: 'Bucketry reads and writes the bytes',
  removeMatching: '501 for a conditional DELETE, expiry and the trash of the dashboard',
  copy: 'Bucketry reads and writes the bytes',
  copyPart: 'Bucketry reads and writes the bytes above 5 GiB',
  checksums: 'verified, and not kept',
  fewerParts: 'Complete must list all parts, and other bytes for a part that was sent get 503',
  partEtags: 'no multipart upload',
  tags: '501 for an object with tags',
  wholeBodies: 'Bucketry ends each body that it sends while it arrives with a checksum',
  startAfter: 'only the first page of a listing',
  startInFolder: 'Bucketry lists the rest of the folder, then of the one around it, and so on',
}

/** The table of docs/s3-drive.md begins with this. */
export const abilitiesHead = '| what the store does |'

/** The document with the table of what was recorded. The table ends at the next empty line. */
export function withAbilities(document: string, stores: readonly RecordedStore[]): string {
  const begin = document.indexOf(abilitiesHead)
  if (begin === -1) throw new Error(`the document has no table ${abilitiesHead}`)
  const end = document.indexOf('\n\n', begin)
  return document.slice(0, begin) + tableOf(stores) + document.slice(end)
}

function tableOf(stores: readonly RecordedStore[]): string {
  const names = stores.map(({ store, version }) => `${store} ${version}`)
  const rows = Object.entries(storeAbilities).map(([ability, label]) => {
    const lost = without[ability as StoreAbility]
    const title = lost === undefined ? label : `${label} (without: ${lost})`
    return [title, ...stores.map((store) => cellOf(store, ability as StoreAbility))]
  })
  const lines = [
    `${abilitiesHead} ${names.join(' | ')} |`,
    `|---${'|---'.repeat(stores.length)}|`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    `| tried | ${stores.map(({ date }) => date).join(' | ')} |`,
  ]
  return lines.join('\n')
}

function cellOf({ abilities, isAtomic }: RecordedStore, ability: StoreAbility): string {
  if (!abilities[ability]) return 'no'
  const { [ability]: isOneWinner = true }: Partial<Record<StoreAbility, boolean>> = isAtomic
  return isOneWinner ? 'yes' : 'yes, but not atomic'
}
