// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and says which row is meant
import { VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { Sort, SortField } from '../entries/entry-order.ts'
import classes from './entry-grid.module.css'

interface SortHeaderProps {
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly isAllSelected: boolean
  readonly isSomeSelected: boolean
  readonly onSelectAll: (isWanted: boolean) => void
}

/** The first row of the grid. */
export function SortHeader(props: SortHeaderProps) {
  const { sort, onSort, isAllSelected, isSomeSelected, onSelectAll } = props
  return (
    <div role="rowgroup" className={classes.headGroup}>
      <div role="row" aria-rowindex={1} className={classes.head}>
        <div role="columnheader" className={classes.check}>
          <label>
            <input
              type="checkbox"
              aria-label="Select all"
              checked={isAllSelected}
              ref={(input) => {
                if (input !== null) input.indeterminate = isSomeSelected && !isAllSelected
              }}
              onChange={(event) => onSelectAll(event.currentTarget.checked)}
            />
          </label>
        </div>
        <Column field="name" label="Name" sort={sort} onSort={onSort} />
        <Column field="size" label="Size" sort={sort} onSort={onSort} isAtEnd />
        <Column field="modified" label="Modified" sort={sort} onSort={onSort} isAtEnd />
        <div role="columnheader">
          <VisuallyHidden>Actions</VisuallyHidden>
        </div>
      </div>
    </div>
  )
}

interface ColumnProps {
  readonly field: SortField
  readonly label: string
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly isAtEnd?: boolean
}

function Column({ field, label, sort, onSort, isAtEnd = false }: ColumnProps) {
  const isHere = sort.field === field
  const direction = sort.isDescending ? 'descending' : 'ascending'
  // Sorting by size or date starts with the largest or newest.
  const isDescending = isHere ? !sort.isDescending : field !== 'name'
  const Arrow = sort.isDescending ? IconArrowDown : IconArrowUp
  return (
    <div
      role="columnheader"
      aria-sort={isHere ? direction : 'none'}
      className={isAtEnd ? classes.headEnd : ''}
    >
      <button
        type="button"
        className={classes.sort}
        onClick={() => onSort({ field, isDescending })}
      >
        {label}
        {isHere && <Arrow size={14} aria-hidden />}
      </button>
    </div>
  )
}
