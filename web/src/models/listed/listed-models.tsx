import { Badge, Button } from '@mantine/core'
import { IconSearchOff, IconSparkles } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { ListedModel } from '../routing-queries.ts'
import classes from './listed-panel.module.css'

const pageSize = 100

interface ListedModelsProps {
  readonly models: readonly ListedModel[]
  readonly isSearched: boolean
}

export function ListedModels({ models, isSearched }: ListedModelsProps) {
  const [shown, setShown] = useState(pageSize)
  if (models.length === 0) return <NoModels isSearched={isSearched} />
  return (
    <>
      <ul className={classes.models}>
        {models.slice(0, shown).map(({ id, owned_by, kind }) => (
          <li key={`${id} ${kind}`} className={classes.model}>
            <span className={classes.id}>{id}</span>
            {kind !== undefined && (
              <Badge variant="light" color="gray" tt="none">
                {kind === 'webSearch' ? 'search' : 'fetch'}
              </Badge>
            )}
            <span className={classes.owner}>{owned_by}</span>
            <CopyButton text={id} what={id} />
          </li>
        ))}
      </ul>
      {models.length > shown && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(pageSize, models.length - shown)} more of {models.length - shown}
        </Button>
      )}
    </>
  )
}

function NoModels({ isSearched }: { readonly isSearched: boolean }) {
  if (isSearched) {
    return (
      <EmptyState icon={<IconSearchOff size={32} stroke={1.5} />} title="No matching models">
        Try another search, or choose another kind.
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={<IconSparkles size={32} stroke={1.5} />} title="No models of this kind">
      <Link href="/models">Connect a provider</Link> that offers them.
    </EmptyState>
  )
}
