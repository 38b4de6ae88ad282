package guard

import (
	"testing"
)

const casesNoOpinion = `
ls -la
git status
git add -A && git commit -m "reset --hard; rm -rf /"
git commit -m "DROP DATABASE x"
git push
git push origin main
git push --force-with-lease origin feature
git push -u origin feature
git checkout main
git checkout -b x
git checkout feature/x-1.2
git switch -c x
git reset
git reset HEAD~1
git reset --soft HEAD~1
git restore --staged .
git clean -n
git clean -nfd
git stash
git stash pop
git branch -d x
git rebase main
git commit --amend --no-edit
git fetch --prune --force
git log --oneline --grep "push --force"
git rm --cached x
git worktree remove ../wt
rm -rf node_modules
rm -rf ./build dist target/debug
rm -rf /tmp/x
rm -rf "$TMPDIR/x"
rm -rf src/old
rm -f a.txt
rm -f .git/index.lock
rm -rf build/*
cd build && rm -rf *
D=$(mktemp -d); rm -rf "$D"
rm -rf ./*.log
rm -rf ./"$name"
find . -name '*.pyc' -delete
find . -name node_modules -prune -exec rm -rf {} +
find . -type d -name __pycache__ | xargs rm -rf
echo "git reset --hard" >> notes.md
echo rm -rf /
printf 'rm -rf /\n'
grep -r "drop database" .
rg 'rm -rf' .
cat > notes.md <<'EOF'⏎rm -rf /⏎git push --force origin main⏎EOF
cat <<EOF > x.sql⏎DROP DATABASE x;⏎EOF
awk '/rm -rf/ {print}' log.txt
sed 's/rm -rf/x/' f
sed -i 's/a/b/' src/a.go
# rm -rf /
echo ok # ; rm -rf /
python3 -c "print('rm -rf /')"
python3 script.py --force
node -e "console.log(1)"
node -e "const m = new Map(); m.delete('x')"
npm install && npm test
npm run build
npx prettier --write .
cargo build --release
go test ./...
make clean
docker build -t x .
docker run --rm alpine rm -rf /data/x
docker ps
docker compose up -d
docker compose down
docker rm x
kubectl get pods
kubectl apply -f x.yaml
kubectl logs x
kubectl exec x -- ls /
terraform plan
terraform init
aws s3 ls
aws s3 cp a s3://b/a
aws ec2 describe-instances
gcloud compute instances list
gh pr create --fill
gh pr view 1
gh run list
curl -s https://x.example | jq .
curl -o x.zip https://x.example/x.zip
curl -X DELETE http://localhost:3000/api/users/1
curl -X POST -d '{"a":1}' https://x.example/api
wget https://x.example/x.tgz && tar xzf x.tgz
psql -c 'SELECT 1'
psql -c "DELETE FROM t WHERE id=1"
psql -f migrations/1.sql
redis-cli GET x
sqlite3 x.db '.tables'
eval "$(ssh-agent -s)"
eval "$(direnv hook bash)"
eval "$(pyenv init -)"
ssh host uptime
scp a.txt host:/tmp/
rsync -a src/ host:dst/
kill 1234
kill %1
ps aux | grep node
lsof -i :3000
chmod +x x.sh
chmod -R 755 dist
chmod 644 a
chown -R dev:dev .
mv a b
mv src/a src/b
cp -r a b
cp .env.example .env
ln -s a b
touch a
mkdir -p a/b
tar czf x.tgz src
unzip x.zip
sudo apt-get install -y jq
sudo systemctl restart x
systemctl status nginx
pip install -r requirements.txt
pip install -e .
afar status
afar asks --json
afar log -f
afar post issue:1 hi
afar read issue:1
afar issue list
afar consult x
afar guard explain 'rm -rf /'
afar loop show
afar loop list
afar doctor
afar version
cat ~/.claude/settings.json
jq .hooks .claude/settings.json
ls ~/.claude
cat CLAUDE.md
echo hi > ~/notes.txt
claude --version
tmux ls
tmux new-session -d -s x 'npm run dev'
for f in *.go; do gofmt -w "$f"; done
if [ -d build ]; then rm -rf build; fi
while read -r l; do echo "$l"; done < x
export PATH="$PATH:/x"
test -f x && echo y || echo n
true
"$EDITOR" x
./gradlew clean build
[ -n "$X" ] && echo "$X"
echo $HOME
printf "%s\n" "$PATH"
date +%s
sleep 5
wc -l < a
diff <(ls a) <(ls b)
command -v rm
which rm
type rm
man rm
if ! cd web; then exit 1; fi; rm -rf dist
cd web || exit 1; rm -rf dist
for d in a b; do cd $d && make && cd -; done; rm -rf dist
for d in a b; do (cd $d && rm -rf dist); done
set -euo pipefail; rm -rf dist
mkdir -p ~/.ssh
chmod 700 ~/.ssh
yq .x .claude/settings.json
vim a.txt
curl -d "{\"k\":\"$API_KEY\"}" https://api.example/x
rsync -a --delete dist/ /tmp/x/
brew cleanup
cp -r src /mnt/backup/
git show HEAD:main.go
git cat-file -p HEAD
printenv HOME
env | grep PATH
export TOKEN=$(gh api user)
rm --help
git --help
git reset --help
xargs -n1 echo < x
ls | xargs -n1 basename
time go test ./...
timeout 60 npm test
env FOO=1 npm test
nohup npm start &
jq -r '.a' x.json
crontab -l
mount
id
mkdir -p .claude/commands
mkdir -p .claude
echo > /dev/tcp/localhost/5432
timeout 1 bash -c '</dev/tcp/127.0.0.1/80'
man rm
docker builder prune
EDITOR=vim git commit
EDITOR="code --wait" git rebase -i HEAD~2
`

func TestNoOpinion(t *testing.T) { verdicts(t, None, casesNoOpinion) }
