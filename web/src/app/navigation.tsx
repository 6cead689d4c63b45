import { Flex } from '@mantine/core'
import { Link, useRoute } from 'wouter'
import iconUrl from './icon.svg'
import classes from './navigation.module.css'

export function Navigation() {
  return (
    <div className={classes.start}>
      <Link href="/" className={classes.brand ?? ''} aria-label="Bucketry, overview">
        <img src={iconUrl} alt="" width={26} height={26} />
        <span className={classes.name}>Bucketry</span>
      </Link>
      <Flex component="nav" gap={2} aria-label="Pages" className={classes.pages ?? ''}>
        <PageLink href="/" pattern="/" label="Overview" />
        <PageLink href="/files" pattern="/files/*?" label="Files" />
        <PageLink href="/keys" pattern="/keys" label="Keys" />
        <PageLink href="/models" pattern="/models/*?" label="Models" />
      </Flex>
    </div>
  )
}

interface PageLinkProps {
  readonly href: string
  readonly pattern: string
  readonly label: string
}

function PageLink({ href, pattern, label }: PageLinkProps) {
  const [isHere] = useRoute(pattern)
  return (
    <Link
      href={href}
      className={classes.page ?? ''}
      {...(isHere && { 'aria-current': 'page' as const })}
    >
      {label}
    </Link>
  )
}
