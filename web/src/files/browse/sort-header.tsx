// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and says which row is meant
import { VisuallyHidden } from '@mantine/core'
import { filesTexts } from '../../texts/files.ts'
import type { SortField } from '../entries/entry-order.ts'
import { SelectAll, SortButton, type SortProps } from '../grid/sort-controls.tsx'
import classes from './entry-grid.module.css'

/** The first row of the grid. */
export function SortHeader(props: SortProps) {
  return (
    <div role="rowgroup" className={classes.headGroup}>
      <div role="row" aria-rowindex={1} className={classes.head}>
        <div role="columnheader" className={classes.check}>
          <SelectAll {...props} />
        </div>
        <Column {...props} field="name" />
        <Column {...props} field="size" isAtEnd />
        <Column {...props} field="modified" isAtEnd />
        <div role="columnheader">
          <VisuallyHidden>{filesTexts.actionsColumn}</VisuallyHidden>
        </div>
      </div>
    </div>
  )
}

interface ColumnProps extends Pick<SortProps, 'sort' | 'onSort'> {
  readonly field: SortField
  readonly isAtEnd?: boolean
}

function Column({ field, sort, onSort, isAtEnd = false }: ColumnProps) {
  const direction = sort.isDescending ? 'descending' : 'ascending'
  return (
    <div
      role="columnheader"
      aria-sort={sort.field === field ? direction : 'none'}
      className={isAtEnd ? classes.headEnd : ''}
    >
      <SortButton field={field} sort={sort} onSort={onSort} className={classes.sort} />
    </div>
  )
}
