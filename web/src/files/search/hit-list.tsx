import { Text } from '@mantine/core'
import type { SearchHit } from '../../../../src/storage/search/search.ts'
import { formatBytes } from '../../format/bytes.ts'
import { parentOf } from '../entries/entry.ts'
import { EntryIcon } from '../entries/entry-icon.tsx'
import { NameText } from '../entries/name-text.tsx'
import classes from './search-dialog.module.css'
import { entryOf } from './search-results.ts'

interface HitListProps {
  /** The id of the list. The id of a result is the list's id with the index of the result. */
  readonly id: string
  readonly hits: readonly SearchHit[]
  readonly active: number
  readonly onOpen: (hit: SearchHit) => void
}

export function HitList({ id, hits, active, onOpen }: HitListProps) {
  return (
    <div role="listbox" id={id} aria-label="Results" className={classes.list} tabIndex={-1}>
      {hits.map((hit, index) => (
        <HitRow
          key={`${hit.bucket}/${hit.key}`}
          id={`${id}-${index}`}
          hit={hit}
          isActive={index === active}
          onOpen={() => onOpen(hit)}
        />
      ))}
    </div>
  )
}

interface HitRowProps {
  readonly id: string
  readonly hit: SearchHit
  readonly isActive: boolean
  readonly onOpen: () => void
}

function HitRow({ id, hit, isActive, onOpen }: HitRowProps) {
  const entry = entryOf(hit)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard
    <div
      role="option"
      id={id}
      aria-selected={isActive}
      tabIndex={-1}
      className={classes.hit}
      onClick={onOpen}
    >
      <EntryIcon entry={entry} />
      <div className={classes.names}>
        <div title={entry.name}>
          <MatchedName name={entry.name} match={hit.match} />
        </div>
        <div className={classes.folder}>
          <NameText name={`${hit.bucket}/${parentOf(hit.key)}`} />
        </div>
      </div>
      {entry.kind === 'file' && (
        <Text size="sm" c="dimmed" className={classes.size ?? ''}>
          {formatBytes(entry.size)}
        </Text>
      )}
    </div>
  )
}

interface MatchedNameProps extends Pick<SearchHit, 'match'> {
  readonly name: string
}

function MatchedName({ name, match: [start, end] }: MatchedNameProps) {
  if (start === end) return <NameText name={name} />
  return (
    <bdi>
      {start > 0 && <NameText name={name.slice(0, start)} />}
      <mark className={classes.match}>
        <NameText name={name.slice(start, end)} />
      </mark>
      {end < name.length && <NameText name={name.slice(end)} />}
    </bdi>
  )
}
