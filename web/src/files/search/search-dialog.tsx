import { Button, Loader, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { SearchHit } from '../../../../src/storage/search/search.ts'
import { formatAmount } from '../../format/bytes.ts'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { selectNext } from '../browse/next-focus.ts'
import type { FolderAddress } from '../change/move-plan.ts'
import { nameOf, parentOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { locationPath } from '../files-location.ts'
import { HitList } from './hit-list.tsx'
import classes from './search-dialog.module.css'
import { useActiveHit } from './use-active-hit.ts'
import { type Search, useSearch } from './use-search.ts'

interface SearchDialogProps {
  /** The open folder; undefined in the list of buckets. */
  readonly at?: FolderAddress
  readonly onClose: () => void
  /** Selects an entry of the open folder. */
  readonly onHere?: (key: string) => void
}

/** Finds files and folders by a part of their names, and opens a result in its folder. */
export function SearchDialog({ at, onClose, onHere }: SearchDialogProps) {
  const [text, setText] = useState('')
  const [isHere, setIsHere] = useState(at !== undefined)
  const [, navigate] = useLocation()
  const wanted = text.trim()
  const where = isHere ? at : undefined
  const search = useSearch({ text: wanted, bucket: where?.bucket, prefix: where?.prefix ?? '' })
  const open = (hit: SearchHit) => {
    const prefix = parentOf(hit.key)
    onClose()
    if (hit.bucket === at?.bucket && prefix === at.prefix) return onHere?.(hit.key)
    selectNext(hit.key)
    navigate(locationPath({ bucket: hit.bucket, prefix, filter: '' }))
  }
  const { hits } = search.results
  const list = useActiveHit({ hits, search: `${isHere} ${wanted}`, open })
  return (
    <Modal opened onClose={onClose} title="Search" size="lg" yOffset="8vh">
      <Stack gap="sm">
        <TextInput
          {...list.field}
          data-autofocus
          aria-label="Part of a name"
          placeholder="Part of a name"
          maxLength={255}
          spellCheck={false}
          autoComplete="off"
          leftSection={<IconSearch size={16} />}
          rightSection={search.isSearching && <Loader size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {at !== undefined && <Where at={at} isHere={isHere} onChange={setIsHere} />}
        <HitList id={list.id} hits={hits} active={list.active} onOpen={open} />
        <Outcome wanted={wanted} search={search} />
      </Stack>
    </Modal>
  )
}

interface WhereProps {
  readonly at: FolderAddress
  readonly isHere: boolean
  readonly onChange: (isHere: boolean) => void
}

function Where({ at, isHere, onChange }: WhereProps) {
  const name = visibleName(nameOf(at.prefix) || at.bucket)
  return (
    <SegmentedControl
      fullWidth
      aria-label="Where"
      value={isHere ? 'here' : 'all'}
      onChange={(value) => onChange(value === 'here')}
      data={[
        { value: 'here', label: `In ${name} and below` },
        { value: 'all', label: 'Everywhere' },
      ]}
    />
  )
}

/** The progress and the problems of the search. */
function Outcome({ wanted, search }: { readonly wanted: string; readonly search: Search }) {
  const { results, isSearching, error, searchOn } = search
  return (
    <>
      {error !== undefined && (
        <FailureNotice title="The search has stopped" error={error} onRetry={searchOn} />
      )}
      {results.problems.map((problem) => (
        <Text key={problem} size="sm" c="var(--mantine-color-error)">
          {problem}
        </Text>
      ))}
      <div className={classes.foot}>
        <Text size="sm" c="dimmed" role="status">
          {statusOf(wanted, search)}
        </Text>
        {typeof results.next === 'string' && !isSearching && (
          <Button size="xs" variant="default" onClick={searchOn}>
            Continue the search
          </Button>
        )}
      </div>
    </>
  )
}

function statusOf(wanted: string, { results, isSearching, error }: Search): string {
  const { hits, looked, next, problems } = results
  if (wanted === '') return 'Upper and lower case do not matter.'
  const found = formatAmount(hits.length, 'result')
  const seen = formatAmount(looked, 'object')
  if (isSearching) return hits.length === 0 ? `Searching: ${seen} so far` : `${found}, searching`
  if (typeof next === 'string' || error !== undefined) return `${found} in the first ${seen}`
  if (hits.length > 0 || problems.length > 0) return found
  return `No name contains “${visibleName(wanted)}”`
}
