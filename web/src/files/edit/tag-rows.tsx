import { Button, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { fileEditTexts } from '../../texts/file-edit.ts'
import { maxTags, type ObjectTags, tagProblem } from '../s3/object-tags.ts'
import type { RowDraft } from './metadata-draft.ts'
import classes from './metadata-form.module.css'
import { MetadataRow } from './metadata-form.tsx'

interface TagRowsProps {
  readonly rows: readonly RowDraft[]
  /** Whether the user has tried to save. Until then, an empty name is not an error. */
  readonly isTried: boolean
  readonly onChange: (rows: readonly RowDraft[]) => void
}

/** The tags of a file, as lines. */
export function TagRows({ rows, isTried, onChange }: TagRowsProps) {
  const id = 1 + Math.max(-1, ...rows.map((row) => row.id))
  return (
    <fieldset className={classes.rows}>
      <legend>{fileEditTexts.tags.title}</legend>
      <Stack gap={8}>
        {rows.map((row) => (
          <MetadataRow
            key={row.id}
            row={row}
            isTag
            problem={row.name === '' && !isTried ? undefined : problemOf(row, rows)}
            isMany={false}
            onChange={(next) => onChange(rows.map((other) => (other.id === row.id ? next : other)))}
            onRemove={() => onChange(rows.filter((other) => other.id !== row.id))}
          />
        ))}
        {rows.length > maxTags && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {fileEditTexts.tags.most(maxTags)}
          </Text>
        )}
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={16} />}
          className={classes.add ?? ''}
          disabled={rows.length >= maxTags}
          onClick={() => onChange([...rows, { id, name: '', value: '', isRemoval: false }])}
        >
          {fileEditTexts.tags.add}
        </Button>
      </Stack>
    </fieldset>
  )
}

export function tagRowsOf(tags: ObjectTags): readonly RowDraft[] {
  return tags.map(([name, value], id) => ({ id, name, value, isRemoval: false }))
}

/** Why the tags cannot be saved. */
export function tagsProblem(rows: readonly RowDraft[]): string | undefined {
  if (rows.length > maxTags) return fileEditTexts.tags.most(maxTags)
  return rows.map((row) => problemOf(row, rows)).find((problem) => problem !== undefined)
}

function problemOf({ id, name, value }: RowDraft, rows: readonly RowDraft[]): string | undefined {
  const isTaken = rows.some((other) => other.id < id && other.name === name)
  return tagProblem(name, value) ?? (isTaken ? fileEditTexts.form.nameTaken : undefined)
}

/** The tags to save; undefined if they are the same. */
export function changedTags(rows: readonly RowDraft[], before: ObjectTags): ObjectTags | undefined {
  const after = rows.map(({ name, value }) => [name, value] as const)
  const textOf = (tags: ObjectTags) =>
    JSON.stringify([...tags].sort(([a], [b]) => (a < b ? -1 : 1)))
  return textOf(after) === textOf(before) ? undefined : after
}
