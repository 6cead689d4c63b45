import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { filesTexts } from '../../texts/files.ts'
import type { Sort, SortField } from '../entries/entry-order.ts'

/** The props of a header of entries. */
export interface SortProps {
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly isAllSelected: boolean
  readonly isSomeSelected: boolean
  readonly onSelectAll: (isWanted: boolean) => void
}

export const sortLabels: Readonly<Record<SortField, string>> = {
  name: filesTexts.sort.name,
  size: filesTexts.sort.size,
  modified: filesTexts.sort.modified,
}

type SelectAllProps = Pick<SortProps, 'isAllSelected' | 'isSomeSelected' | 'onSelectAll'>

export function SelectAll({ isAllSelected, isSomeSelected, onSelectAll }: SelectAllProps) {
  return (
    <label>
      <input
        type="checkbox"
        aria-label={filesTexts.selectAll}
        checked={isAllSelected}
        ref={(input) => {
          if (input !== null) input.indeterminate = isSomeSelected && !isAllSelected
        }}
        onChange={(event) => onSelectAll(event.currentTarget.checked)}
      />
    </label>
  )
}

/** The order after a press of a field: the other direction, or at first the largest or newest. */
export function pressedSort(sort: Sort, field: SortField): Sort {
  return { field, isDescending: sort.field === field ? !sort.isDescending : field !== 'name' }
}

interface SortButtonProps extends Pick<SortProps, 'sort' | 'onSort'> {
  readonly field: SortField
  readonly className: string | undefined
  /** Whether the button has aria-pressed. Outside of a table, there is no column header to show the order. */
  readonly isToggle?: boolean
}

export function SortButton({ field, sort, onSort, className, isToggle }: SortButtonProps) {
  const isHere = sort.field === field
  const Arrow = sort.isDescending ? IconArrowDown : IconArrowUp
  return (
    <button
      type="button"
      className={className}
      {...(isToggle && { 'aria-pressed': isHere })}
      onClick={() => onSort(pressedSort(sort, field))}
    >
      {sortLabels[field]}
      {isHere && <Arrow size={14} aria-hidden />}
    </button>
  )
}
