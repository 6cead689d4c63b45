import { Group, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './section.module.css'

interface SectionProps {
  readonly title: string
  /** Shown at the end of the title line. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A titled section of a page, with its own landmark. */
export function Section({ title, actions, children }: SectionProps) {
  const id = useId()
  return (
    <section className={classes.section} aria-labelledby={id}>
      <Group justify="space-between" gap={8} mb={12}>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </section>
  )
}
