import { Box, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './row-list.module.css'

export function RowList({ children }: { readonly children: ReactNode }) {
  return <ul className={classes.list}>{children}</ul>
}

interface RowProps {
  readonly title: ReactNode
  /** A second, quieter line. */
  readonly detail?: ReactNode
  readonly actions?: ReactNode
  /** Shown below the line at full width: a form, a result. */
  readonly children?: ReactNode
}

export function Row({ title, detail, actions, children }: RowProps) {
  return (
    <li className={classes.row}>
      <Group gap={10}>
        <Box className={classes.body ?? ''}>
          <div className={classes.title}>{title}</div>
          {detail !== undefined && <div className={classes.detail}>{detail}</div>}
        </Box>
        {actions !== undefined && (
          <Group gap={2} className={classes.actions ?? ''}>
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </li>
  )
}
