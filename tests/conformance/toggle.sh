# Adds a spell, or takes it away if it is there.
spell=spells/added_$1.yaml
if [ -e "$spell" ]; then
    rm "$spell"
else
    cp "added_$1.yaml" "$spell"
fi
