import { useNavigate } from '@tanstack/react-router';
import type { Provider } from '../../api/catalog.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { useTexts } from '../../texts/texts.tsx';
import styles from './grant-choice.module.css';

type Grant = Provider['grants'][number];

type GrantChoiceProps = {
  readonly projectId: string;
  readonly provider: Provider;
  readonly chosen: string | null;
};

/** The ways to authenticate at a provider, to choose one of. Nothing where there is only one. */
export function GrantChoice({ projectId, provider, chosen }: GrantChoiceProps) {
  const { integrations: texts } = useTexts();
  const navigate = useNavigate();
  if (provider.grants.length < 2) return null;
  const first = provider.grants[0]?.id ?? null;
  const choose = (grant: string) =>
    navigate({
      to: '/p/$projectId/integrations/new',
      params: { projectId },
      search: { provider: provider.id, ...(grant !== first && { grant }) },
      replace: true,
      resetScroll: false,
    });
  const current = chosen ?? first;
  const [shown, others] = [
    provider.grants.filter(({ id }) => id === current),
    provider.grants.filter(({ id }) => id !== current),
  ];
  const draw = (grants: readonly Grant[]) => (
    <div className={styles.grants}>
      {grants.map((grant) => (
        <GrantOption
          key={grant.id}
          grant={grant}
          provider={provider.name}
          isUsual={grant.id === first}
          isChosen={grant.id === current}
          onChoose={() => choose(grant.id)}
        />
      ))}
    </div>
  );
  return (
    <fieldset className={styles.choice}>
      <legend>{texts.setUp.grantTitle}</legend>
      {draw(shown)}
      <details className={styles.others}>
        <summary>{texts.setUp.otherGrants(others.length)}</summary>
        {draw(others)}
      </details>
    </fieldset>
  );
}

type GrantOptionProps = {
  readonly grant: Grant;
  /** Its name. */
  readonly provider: string;
  readonly isUsual: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
};

function GrantOption({ grant, provider, isUsual, isChosen, onChoose }: GrantOptionProps) {
  const { integrations: texts } = useTexts();
  return (
    <label className={styles.grant}>
      <input type="radio" name="grant" value={grant.id} checked={isChosen} onChange={onChoose} />
      <span className={styles.words}>
        <strong>
          {nameAuthMethod(grant, texts)}
          {isUsual && <span className={styles.usual}>{texts.setUp.grantUsual}</span>}
        </strong>
        {grant.purpose !== null && <span className="soft small">{translateWords(grant.purpose, texts)}</span>}
        {givers(grant, provider, texts).map((sentence) => (
          <span key={sentence} className="small">
            {sentence}
          </span>
        ))}
      </span>
    </label>
  );
}

/** What people call a grant: its own title, or that of its kind. */
export function nameAuthMethod(
  { title, auth }: Pick<Grant, 'title' | 'auth'>,
  texts: Texts['integrations'],
): string {
  return title === null ? texts.auth[auth] : translateWords(title, texts);
}

/** Words of the catalog in the language of the page, where many providers share them; as they are otherwise. */
function translateWords(words: string, texts: Texts['integrations']): string {
  const { grantWords } = texts.setUp;
  // The words of a project's own provider may be any, `constructor` too.
  return Object.hasOwn(grantWords, words) ? (grantWords[words] ?? words) : words;
}

/** Sentences on what the operator and what each user gives. */
function givers(grant: Grant, provider: string, texts: Texts['integrations']): string[] {
  const { catalog, setUp } = texts;
  const named = (fields: Grant['operatorFields']) =>
    fields
      .filter(({ required }) => required)
      .map(({ name, title }) => title ?? setUp.grantFields[name] ?? name.replace('variables.', ''));
  const ofOperator = named(grant.operatorFields);
  const ofApplication = named(grant.applicationFields);
  const ofUsers = named(grant.userFields);
  const silent = {
    oauth2: catalog.usersSignIn(provider),
    'github-app': catalog.usersInstall(provider),
    'oauth2-client-credentials': catalog.nobodySignsIn,
  }[grant.auth as string];
  return [
    ...(ofOperator.length > 0 ? [catalog.youEnter(ofOperator.join(', '))] : []),
    ...(ofApplication.length > 0 ? [catalog.applicationSays(ofApplication.join(', '))] : []),
    ...(ofUsers.length > 0 ? [catalog.usersEnter(ofUsers.join(', '))] : []),
    ...(silent === undefined ? [] : [silent]),
  ];
}
