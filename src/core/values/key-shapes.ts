/** A key that declares itself by its shape. `kind` stands in sentences for people and models. */
export interface KeyShape {
  readonly kind: string;
  readonly shape: RegExp;
}

/** Tight on purpose: an ordinary identifier must never match. */
export const KEY_SHAPES: readonly KeyShape[] = [
  { kind: 'an Anthropic key', shape: /\bsk-ant-[\w-]{20,}/g },
  { kind: 'an OpenAI key', shape: /\bsk-(?:proj|svcacct|admin)-[\w-]{20,}/g },
  { kind: 'an OpenRouter key', shape: /\bsk-or-[\w-]{20,}/g },
  { kind: 'a model service key', shape: /\bsk-[A-Za-z0-9]{32,}\b/g },
  { kind: 'a GitHub token', shape: /\bgh[oprsu]_[A-Za-z0-9]{36,}\b/g },
  { kind: 'a GitHub token', shape: /\bgithub_pat_\w{40,}/g },
  { kind: 'a GitLab token', shape: /\bglpat-[\w-]{20,}/g },
  { kind: 'an npm token', shape: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { kind: 'a PyPI token', shape: /\bpypi-AgEI[\w-]{50,}/g },
  { kind: 'a Hugging Face token', shape: /\bhf_[A-Za-z0-9]{34,}\b/g },
  { kind: 'a Google key', shape: /\bAIza[\w-]{35}/g },
  { kind: 'an AWS access key', shape: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { kind: 'a Slack token', shape: /\bxox[abeprs]-[\w-]{20,}/g },
  { kind: 'a Stripe key', shape: /\b[sr]k_live_[A-Za-z0-9]{20,}\b/g },
  { kind: 'a SendGrid key', shape: /\bSG\.[\w-]{20,}\.[\w-]{40,}/g },
  { kind: 'a DigitalOcean token', shape: /\bdo[opr]_v1_[a-f0-9]{64}\b/g },
  { kind: 'an age key', shape: /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g },
];
