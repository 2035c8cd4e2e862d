/** The tabs of the settings screen, in order (SE-1). */
export const SETTING_TABS = ['Context', 'Agent settings', 'Models', 'Tools', 'Internal Tooling', 'Other'] as const;
export type SettingTab = (typeof SETTING_TABS)[number];

/** The tab of a key, by the longest beginning of it that is named here; a key nobody placed stands under Other. */
const PLACES: Readonly<Record<string, SettingTab>> = {
  compaction: 'Context',
  contextWindow: 'Context',
  knowledge: 'Context',
  skills: 'Context',
  model: 'Agent settings',
  effort: 'Agent settings',
  efforts: 'Agent settings',
  thinking: 'Agent settings',
  agent: 'Agent settings',
  agents: 'Agent settings',
  side: 'Agent settings',
  requests: 'Agent settings',
  limits: 'Agent settings',
  claude: 'Agent settings',
  'session.naming': 'Agent settings',
  'session.namingModel': 'Agent settings',
  providers: 'Models',
  models: 'Models',
  permissions: 'Tools',
  safety: 'Tools',
  sandbox: 'Tools',
  run: 'Tools',
  search: 'Tools',
  tools: 'Tools',
  vetting: 'Tools',
  jobs: 'Tools',
  automation: 'Internal Tooling',
  hooks: 'Internal Tooling',
  mcp: 'Internal Tooling',
  extensions: 'Internal Tooling',
  session: 'Internal Tooling',
  placements: 'Internal Tooling',
  updates: 'Internal Tooling',
};

export function tabOf(key: string): SettingTab {
  const path = key.split('.');
  for (let length = path.length; length > 0; length--) {
    const place = PLACES[path.slice(0, length).join('.')];
    if (place !== undefined) return place;
  }
  return 'Other';
}
