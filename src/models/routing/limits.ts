/** All stored input is bounded, because each list reads all of it. */
export const maxConnections = 1_000
export const maxCombos = 1_000
export const maxCustomModels = 10_000
export const maxModelAliases = 10_000
export const maxEnabledModels = 2_000
export const maxComboModels = 100

/** The limit of the whole stored state, bytes. A body of this size still fits `maxBodyBytes`. */
export const maxStateBytes = 4 * 1024 * 1024
export const maxBodyBytes = 8 * 1024 * 1024

/** Characters. */
export const maxIdLength = 200
export const maxModelIdLength = 300
export const maxUrlLength = 2_000

export const maxPriority = 1_000_000
